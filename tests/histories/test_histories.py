"""Random histories, checked against a plain model (see the package's own words).

Seeds that found something first.
"""

from __future__ import annotations

import pytest
from flask import Flask

from app.core.redis.clients import boards_redis
from tests.histories.check import differences
from tests.histories.processes import NAMES, PARTS
from tests.histories.schedule import PARTS as PARTS_OF_SCHEDULES
from tests.histories.schedule import generate
from tests.histories.stepping import history, live
from tests.owner import without_triggers
from tests.roles import commands_of_roles
from tests.sizes import size

FOUND: tuple[int, ...] = (96, 1055, 2458)
MANY = size("PRESSBOX_HISTORIES", 0, 80)


@pytest.mark.sized
@pytest.mark.parametrize("seed", [*FOUND, *(seed for seed in range(MANY) if seed not in FOUND)])
def test_a_random_history_ends_as_the_plain_model_says(app: Flask, seed: int) -> None:
    assert live(app, generate(seed)).found == [], f"python -m tests.histories --seed {seed}"


def test_a_seed_gives_the_same_schedule_each_time() -> None:
    assert generate(5) == generate(5)
    assert generate(5) != generate(6)


def test_processes_that_histories_kill_are_those_of_production() -> None:
    roles = {command.name for command in commands_of_roles()}
    assert set(NAMES) <= roles
    assert {PARTS.get(part, part) for part in PARTS_OF_SCHEDULES} <= set(NAMES)


# A statement and what takes it back, by what the sentence about it begins with.
CHANGED = {
    "h-0 standing": (
        "UPDATE events SET valid = NOT valid WHERE (game_id, event_number, revision) = ('h-0', 1, "
        "0)",
    )
    * 2,
    "h-0 stat line": (
        "UPDATE stat_lines SET stats = stats || '{\"lost\": 1}' WHERE game_id = 'h-0' AND "
        "player_id NOT LIKE '%-DST'",
        "UPDATE stat_lines SET stats = stats - 'lost' WHERE game_id = 'h-0'",
    ),
    "h-0 points": (
        "UPDATE player_points SET points = points + 1 WHERE game_id = 'h-0' AND rules = 'ppr'",
        "UPDATE player_points SET points = points - 1 WHERE game_id = 'h-0' AND rules = 'ppr'",
    ),
    "team sheet": ("UPDATE team_sheets SET (captain, vice_captain) = (vice_captain, captain)",) * 2,
    "league": (
        "UPDATE league_scores SET points = points + 1",
        "UPDATE league_scores SET points = points - 1",
    ),
    "board": (
        "UPDATE board_scores SET score = score + 1",
        "UPDATE board_scores SET score = score - 1",
    ),
    "guesser": (
        "UPDATE tournament_points SET points = points + 1",
        "UPDATE tournament_points SET points = points - 1",
    ),
    "settlement audit": (
        "UPDATE settlement_audit SET points = points + 1",
        "UPDATE settlement_audit SET points = points - 1",
    ),
}


def test_each_thing_that_the_stores_say_otherwise_is_found(app: Flask) -> None:
    with history(app, generate(1)) as past:
        past.run()
        assert past.lived.found == []
        for begins, (change, back) in CHANGED.items():
            without_triggers(change)
            lines = differences(past.world, past.model)
            assert any(line.startswith(begins) for line in lines), f"{begins}: {lines}"
            without_triggers(back)
        assert differences(past.world, past.model) == []
        boards_redis().flushall()
        assert any(" in Redis of " in line for line in differences(past.world, past.model))
