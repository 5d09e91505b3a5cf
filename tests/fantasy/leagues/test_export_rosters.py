"""The rosters and the log of a draft league: taken out, taken in elsewhere, taken out again."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.act_notices import By
from app.fantasy.leagues import csv_tables
from app.fantasy.leagues import export as league_export
from app.fantasy.leagues import importing as league_import
from app.fantasy.leagues.importing import BadLeagueError
from app.fantasy.rosters.queries import rosters_of, transactions_of
from app.fantasy.rosters.rules import BudgetMove, Move, PickMove, Transaction
from app.fantasy.standings.models import League
from tests.conftest import emptied
from tests.worlds.draft_leagues import DRAFTED, DraftWorld, make_drafted_league


@pytest.fixture
def drafted(app: Flask, member: Callable[..., Member]) -> DraftWorld:
    """Drafted, with budget, a pick and a drop in its log, and a team that waits for an owner."""
    world = make_drafted_league(member)
    [first, second, *_] = rosters_of(world.league.id).of(1)
    world.record(
        Transaction("dropped", (Move(first, 1, None),), by_member_id=world.members[0]),
        Transaction("reserve", (Move(second, 1, 1, "reserve"),), by_member_id=world.members[0]),
        Transaction(
            "traded",
            budgets=(BudgetMove(1, 7), BudgetMove(2, 3)),
            picks=(PickMove(2027, 3, 2, 2, 1),),
        ),
    )
    by = By(world.members[0], "He has left us.")
    assert commissioner.open_franchise(world.league.id, 4, by, DRAFTED) == []
    return world


def exported(*, usernames: bool) -> dict[str, Any]:
    league = db.session.scalars(select(League).where(League.slug == "the-row")).one()
    document = league_export.document(league, DRAFTED, usernames=usernames)
    return json.loads(league_export.as_json(document))  # type: ignore[no-any-return]


@pytest.mark.parametrize("usernames", [True, False])
def test_rosters_and_log_come_back_as_they_were(
    drafted: DraftWorld, app: Flask, usernames: bool
) -> None:
    document = exported(usernames=usernames)
    rosters, log = rosters_of(drafted.league.id), transactions_of(drafted.league.id)
    assert len(document["rosters"]) == len(rosters.places)
    assert [entry["number"] for entry in document["transactions"]] == [e.number for e in log]
    db.session.commit()
    with emptied(app):
        league = league_import.take_in(league_import.read(json.dumps(document).encode()), by=None)
        assert rosters_of(league.id) == rosters
        assert exported(usernames=usernames) == document


@pytest.mark.parametrize(
    ("table", "change", "fault"),
    [
        ("rosters", {"franchise": 4}, "rosters: they don't match the transactions."),
        ("franchises", {"budget": 99}, "franchises: the budgets don't match"),
        ("franchises", {"number": 9}, "transactions: there is no franchise 1."),
        ("transactions", {"number": 2}, "transactions: number them from 1"),
        ("transactions", {"by": "nobody"}, "transactions: 'nobody' is not listed under people."),
    ],
)
def test_rosters_that_do_not_add_up_are_refused(
    drafted: DraftWorld, table: str, change: dict[str, Any], fault: str
) -> None:
    document = exported(usernames=True)
    document[table][0] |= change
    with pytest.raises(BadLeagueError, match=fault):
        league_import.read(json.dumps(document).encode())


def test_the_csv_tables_have_the_columns_of_the_document(drafted: DraftWorld) -> None:
    document = exported(usernames=False)
    with zipfile.ZipFile(io.BytesIO(csv_tables.as_csv(document))) as archive:
        for table in ("franchises", "rosters", "transactions"):
            header, *rows = archive.read(f"{table}.csv").decode().splitlines()
            assert header.split(",") == list(document[table][0])
            assert len(rows) == len(document[table])
