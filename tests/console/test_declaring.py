"""An operator says what becomes of a game, through the door of all events."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import select

from app.core.db import db
from app.fantasy.scoring.points import store_player_points
from app.record.events import GameStarted, GameStatus, decode
from app.record.ingest import ingest_batch
from app.record.models import Game, GameState
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS
from scorer_console.games.declaring import Declarer, NothingNewError, declare, move, status_of
from scorer_console.lease.leases import (
    Holder,
    LeaseHeldError,
    LeaseLostError,
    UnknownGameError,
    take,
)
from scorer_console.record.numbering import Entry, submit
from tests.worlds.games import KICKOFF, make_game

ADA = Holder("tab-1", "Ada")
BEFORE = KICKOFF - timedelta(hours=2)


@pytest.fixture(autouse=True)
def game(app: Flask) -> Game:
    return make_game()


def ingest() -> None:
    payloads = db.session.scalars(select(OutboxMessage.payload).order_by(OutboxMessage.id)).all()
    messages = [
        Message(GAME_EVENTS.name, 0, number, "g1", payload)
        for number, payload in enumerate(payloads)
    ]
    assert ingest_batch(messages, BEFORE, store_player_points).dead == 0


def test_it_is_an_event_of_the_record_with_its_reason(app: Flask) -> None:
    assert declare("g1", "postponed", "Storm", BEFORE) == 1
    (payload,) = db.session.scalars(select(OutboxMessage.payload)).all()
    assert decode(payload).body == GameStatus(status="postponed", reason="Storm")
    ingest()
    assert status_of("g1") == "postponed"


def test_the_scorer_can_go_on_at_once(app: Flask) -> None:
    declare("g1", "postponed", "Storm", BEFORE)
    take("g1", ADA, BEFORE)
    submit("g1", [Entry(GameStarted(home="HRB", away="SUM"), "one")], BEFORE, console=ADA.console)
    ingest()
    assert status_of("g1") == "live"


def test_nobody_speaks_over_a_scorer_unless_they_say_so(app: Flask) -> None:
    take("g1", ADA, BEFORE)
    with pytest.raises(LeaseHeldError, match="Ada is scoring"):
        declare("g1", "cancelled", "Storm", BEFORE)
    assert declare("g1", "cancelled", "Storm", BEFORE, Declarer(take_over=True)) == 1
    with pytest.raises(LeaseLostError):
        submit(
            "g1", [Entry(GameStarted(home="HRB", away="SUM"), "one")], BEFORE, console=ADA.console
        )


def test_what_is_so_already_and_what_is_no_game_is_refused(app: Flask) -> None:
    with pytest.raises(NothingNewError, match="is already scheduled"):
        declare("g1", "scheduled", "", BEFORE)
    with pytest.raises(UnknownGameError):
        declare("nothing", "cancelled", "", BEFORE)


def test_a_postponed_game_that_gets_a_date_is_on_the_schedule_again(app: Flask) -> None:
    declare("g1", "postponed", "Storm", BEFORE)
    ingest()
    done, number = move("g1", KICKOFF + timedelta(days=1), "Storm is over", BEFORE)
    assert (done.kickoff, number) == (KICKOFF + timedelta(days=1), 2)
    ingest()
    assert status_of("g1") == "scheduled"
    assert move("g1", KICKOFF + timedelta(days=2), "Later", BEFORE)[1] is None
    assert db.session.get_one(GameState, "g1", populate_existing=True).status == "scheduled"


def test_a_game_that_somebody_scores_is_not_moved_either(app: Flask) -> None:
    declare("g1", "postponed", "Storm", BEFORE)
    ingest()
    take("g1", ADA, BEFORE)
    with pytest.raises(LeaseHeldError):
        move("g1", KICKOFF + timedelta(days=1), "Storm is over", BEFORE)
    assert db.session.get_one(Game, "g1", populate_existing=True).kickoff == KICKOFF
