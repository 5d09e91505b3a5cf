"""Folding a player's attempts into what a board holds.

Python, Lua in Redis and SQL give what the examples say.
"""

from __future__ import annotations

import json
from itertools import count, permutations
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import text

from app.api.mode_fields import Counted
from app.boards.layouts.board import apply_all, open_board
from app.boards.order import Order
from app.boards.pages import page
from app.boards.rules import Aggregation, Attempt, Budget, Held, Ties, fold
from app.boards.spec import BoardSpec
from app.core.db import db
from app.core.redis.clients import boards_redis
from app.scores.standings import folding

FOUND = json.loads((Path(__file__).parent / "examples" / "folding.json").read_text())
BUDGET = Budget(tied=True)
NUMBERS = count(1)
EXAMPLES = [
    pytest.param(
        Aggregation(name), example["attempts"], Held(**record), id=f"{name}: {example['name']}"
    )
    for example in FOUND["examples"]
    for name, record in example["held"].items()
]
Raw = list[dict[str, Any]]


@pytest.mark.parametrize(("aggregation", "attempts", "record"), EXAMPLES)
def test_python_holds_what_the_example_says_in_any_order(
    aggregation: Aggregation, attempts: Raw, record: Held
) -> None:
    for order in permutations(attempts):
        assert fold(aggregation, [Attempt(**attempt) for attempt in order]) == record


@pytest.mark.parametrize(("aggregation", "attempts", "record"), EXAMPLES)
def test_redis_holds_what_the_example_says_in_any_order(
    app: Flask, aggregation: Aggregation, attempts: Raw, record: Held
) -> None:
    for order in permutations(attempts):
        board = open_board(
            BoardSpec("folding", "mode", f"w{next(NUMBERS)}", aggregation, Ties.EARLIEST, BUDGET)
        )
        *_, last = apply_all([(board, "ann", Attempt(**attempt)) for attempt in order])
        assert last.score == record.score
        (part,) = board.parts
        ((name, number),) = boards_redis().zrange(part.ranking, 0, -1, withscores=True)
        assert BUDGET.of_name(number, name) == (BUDGET.encode(record), b"ann")


@pytest.mark.parametrize(("aggregation", "attempts", "record"), EXAMPLES)
def test_postgresql_holds_what_the_example_says(
    app: Flask, aggregation: Aggregation, attempts: Raw, record: Held
) -> None:
    counted = """SELECT CAST(:player AS uuid) AS player_id, event_id, score,
      to_timestamp(0) + at * interval '1 us'
      AS achieved_at FROM jsonb_to_recordset(CAST(:attempts AS jsonb)) AS one(score bigint,
        at bigint, event_id uuid)"""
    rows = [
        {"score": attempt["score"], "at": attempt["at"], "event_id": attempt["event"]}
        for attempt in attempts
    ]
    row = db.session.execute(
        text(
            f"WITH {folding.placed(aggregation, Ties.EARLIEST, Order(), counted)} SELECT * FROM "
            "placed"
        ),
        {
            "player": str(UUID(int=1)),
            "attempts": json.dumps(rows),
        },
    ).one()
    assert Held(int(row.score), row.at, str(row.event_id)) == record
    assert (row.tie, row.rank) == (record.at, 1)


def test_each_way_of_counting_has_its_examples_and_words() -> None:
    """A new member of Aggregation that is forgotten somewhere fails here.

    Or in the tests above and in test_history.
    """
    names = {aggregation.value for aggregation in Aggregation}
    assert all(example["held"].keys() == names for example in FOUND["examples"])
    assert page.COUNTED.keys() == names
    assert {counted.value for counted in Counted} == names | {"lowest"}, "the API can choose each"
    assert page.TIED.keys() == {ties.value for ties in Ties}
