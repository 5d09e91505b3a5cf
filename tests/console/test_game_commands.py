"""`pressbox game status` and `pressbox game move` as an operator types them, with refusals."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from sqlalchemy import select

from app.cli import game as commands
from app.core import clock
from app.core.db import db
from app.fantasy.gameweeks.moving import CannotMoveError
from app.fantasy.market.models import Gameweek
from app.fantasy.scoring.points import store_player_points
from app.record.ingest import ingest_batch
from app.record.models import Game
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS
from scorer_console.games.declaring import NothingNewError, status_of
from scorer_console.lease.leases import Holder, LeaseHeldError, UnknownGameError, take
from tests.commands import use_here
from tests.worlds.team_sheets import World, make_world

GAME = "cup-1-AYR"
DAY = timedelta(days=1)


@pytest.fixture
def world(app: Flask, monkeypatch: pytest.MonkeyPatch) -> World:
    """The first gameweek begins in three days.

    The commands run here, and what they enter is ingested at once.
    """
    use_here(monkeypatch, commands, app)
    monkeypatch.setattr(commands, "until_ingested", lambda game_id, number: ingest())
    return make_world(first=clock.now().replace(second=0, microsecond=0) + 3 * DAY, real=True)


def ingest() -> None:
    payloads = db.session.scalars(select(OutboxMessage.payload).order_by(OutboxMessage.id)).all()
    sent = [
        Message(GAME_EVENTS.name, 0, number, GAME, payload)
        for number, payload in enumerate(payloads)
    ]
    assert ingest_batch(sent, clock.now(), store_player_points).dead == 0


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands.game, list(arguments))


def kickoff() -> datetime:
    return db.session.get_one(Game, GAME, populate_existing=True).kickoff


def deadline(world: World) -> datetime:
    return db.session.get_one(Gameweek, world.gameweeks[0].id, populate_existing=True).deadline


def test_a_postponed_game_leaves_the_deadline_where_it_was_until_it_has_a_date(
    world: World,
) -> None:
    first = deadline(world)
    result = run("status", GAME, "postponed", "--reason", "Storm")
    assert (result.exit_code, result.output) == (0, f"Game {GAME}: postponed (event 1)\n")
    assert (status_of(GAME), deadline(world), kickoff()) == ("postponed", first, first)
    result = run(
        "move", GAME, "--kickoff", (first + 2 * DAY).isoformat(), "--reason", "Storm is over"
    )
    assert result.exit_code == 0, result.output
    assert f"Game {GAME}: Week 1, kickoff {first + 2 * DAY:%a %d %b %Y %H:%M}" in result.output
    assert f"Week 1: the deadline is {first + DAY:%a %d %b %H:%M}" in result.output
    assert (status_of(GAME), deadline(world), kickoff()) == (
        "scheduled",
        first + DAY,
        first + 2 * DAY,
    )


def test_what_is_so_already_and_what_is_no_game_is_refused(world: World) -> None:
    assert isinstance(
        run("status", GAME, "scheduled", "--reason", "Storm").exception, NothingNewError
    )
    assert isinstance(
        run("status", "nothing", "cancelled", "--reason", "Storm").exception, UnknownGameError
    )
    assert isinstance(
        run("move", "nothing", "--kickoff", "2030-01-01T13:00Z", "--reason", "Storm").exception,
        UnknownGameError,
    )
    past = run("move", GAME, "--kickoff", "2020-01-01T13:00Z", "--reason", "Storm")
    assert isinstance(past.exception, CannotMoveError)
    assert "in the future" in str(past.exception)
    assert status_of(GAME) == "scheduled"


def test_while_somebody_scores_the_game_it_says_who_and_how_to_do_it_all_the_same(
    world: World,
) -> None:
    take(GAME, Holder("ada's console", "Ada"), clock.now())
    refused = run("status", GAME, "cancelled", "--reason", "Storm")
    assert isinstance(refused.exception, LeaseHeldError)
    assert "Ada is scoring" in str(refused.exception)
    assert run("status", GAME, "cancelled", "--reason", "Storm", "--take-over").exit_code == 0
    assert status_of(GAME) == "cancelled"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(
            ("status", GAME, "rained-off", "--reason", "Storm"), "'postponed'", id="no status"
        ),
        pytest.param(("status", GAME, "postponed"), "--reason", id="no reason"),
        pytest.param(("move", GAME, "--reason", "Storm"), "--kickoff", id="no kickoff"),
        pytest.param(
            ("move", GAME, "--kickoff", "soon", "--reason", "Storm"),
            "should be like 2026-10-13",
            id="no time",
        ),
        pytest.param(
            ("move", GAME, "--kickoff", "2030-01-01T13:00", "--reason", "Storm"),
            "has no zone",
            id="no zone",
        ),
    ],
)
def test_what_is_missing_or_wrong_is_named(
    world: World, arguments: tuple[str, ...], words: str
) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.output
    assert status_of(GAME) == "scheduled"
