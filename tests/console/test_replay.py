"""Stored games are played into the record in one of two variants, never in both."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from flask import Flask
from sqlalchemy import select, text

from app.core import clock
from app.core.db import db
from app.demo.seed import simulated_game
from app.record import events as ev
from app.record.events import Timeout
from app.record.models import Game
from app.record.script import GameScript
from app.record.services import store_script
from app.stream.models import OutboxMessage
from scorer_console.lease import leases
from scorer_console.lease.leases import Holder, LeaseHeldError, UnknownGameError
from scorer_console.record.numbering import Entry
from scorer_console.record.replay import (
    REPLAY,
    EnteredByHandError,
    NoScriptError,
    OtherVariantError,
    replay,
)
from tests.worlds.scorer import leave, submit

pytestmark = pytest.mark.usefixtures("app")


def small(*, as_called: bool = True) -> GameScript:
    """Five steps in the end; seven as first called: a run more, and its nullify."""
    script = simulated_game(1, datetime(2026, 9, 13, tzinfo=UTC))
    final = script.events[:5]
    run = ev.Run(team=script.home.id, kind="rush", start_yard=30, end_yard=34)
    first = tuple(ev.ScriptedEvent(at_ms=step.at_ms, body=step.body) for step in final)
    more = (
        ev.ScriptedEvent(at_ms=90_000, body=run),
        ev.ScriptedEvent(at_ms=91_000, body=ev.Nullify(events=(6,))),
    )
    return replace(script, events=final, as_called=(*first, *more) if as_called else None)


def entered(game_id: str) -> list[tuple[int, str]]:
    rows = db.session.execute(
        select(OutboxMessage.event_number, OutboxMessage.idempotency_key)
        .where(OutboxMessage.game_id == game_id)
        .order_by(OutboxMessage.event_number)
    )
    return [(number, key) for number, key in rows]


def test_a_game_is_played_as_first_called_and_twice_changes_nothing() -> None:
    script = small()
    store_script(script)
    assert [progress.done for progress in replay(script.game_id, "as_called")] == [0, 7]
    assert [progress.done for progress in replay(script.game_id, "as_called")] == [7]
    assert entered(script.game_id) == [(step, f"called:{step}") for step in range(1, 8)]


def test_without_a_word_a_game_is_played_as_it_stood_in_the_end() -> None:
    script = small()
    store_script(script)
    assert [progress.done for progress in replay(script.game_id)] == [0, 5]
    assert entered(script.game_id) == [(step, f"script:{step}") for step in range(1, 6)]


def test_a_replay_that_was_cut_off_goes_on_where_it_was() -> None:
    script = small()
    store_script(script)
    list(replay(script.game_id, "as_called", until=3))
    assert [progress.done for progress in replay(script.game_id, "as_called")] == [3, 7]
    assert len(entered(script.game_id)) == 7


def test_a_game_begun_as_first_called_refuses_to_be_played_as_it_ended() -> None:
    script = small()
    store_script(script)
    list(replay(script.game_id, "as_called", until=1))
    with pytest.raises(
        OtherVariantError, match=r"has begun as it was first called: replay it with --as-called"
    ):
        list(replay(script.game_id))
    assert entered(script.game_id) == [(1, "called:1")]


def test_a_game_begun_as_it_ended_refuses_to_be_played_as_first_called() -> None:
    script = small()
    store_script(script)
    list(replay(script.game_id, until=1))
    with pytest.raises(
        OtherVariantError, match=r"has begun as it was in the end: replay it without --as-called"
    ):
        list(replay(script.game_id, "as_called"))
    assert entered(script.game_id) == [(1, "script:1")]


def test_the_other_variant_is_refused_even_if_it_began_in_the_meantime() -> None:
    script = small()
    store_script(script)
    late = replay(script.game_id, "as_called")
    assert next(late).done == 0
    list(replay(script.game_id, until=1))
    with pytest.raises(OtherVariantError):
        list(late)
    assert entered(script.game_id) == [(1, "script:1")]


def test_a_game_that_somebody_has_gone_on_with_by_hand_is_left_to_them() -> None:
    script = small()
    store_script(script)
    late = replay(script.game_id)
    next(late)
    list(replay(script.game_id, until=2))
    leave(script.game_id, clock.now(), REPLAY.console)
    submit(script.game_id, [Entry(Timeout(reason="by hand"), "mine")], clock.now())
    leave(script.game_id, clock.now())
    for playing in (late, replay(script.game_id)):
        with pytest.raises(EnteredByHandError, match="Event 3 of game"):
            list(playing)
    assert len(entered(script.game_id)) == 3


def test_a_game_that_somebody_scores_is_not_played() -> None:
    script = small()
    store_script(script)
    leases.take(script.game_id, Holder("c", "Ann"), clock.now())
    with pytest.raises(LeaseHeldError, match="Ann is scoring this game"):
        list(replay(script.game_id))


def test_a_game_nobody_knows_the_first_calls_of_is_refused_with_the_remedy() -> None:
    script = small(as_called=False)
    store_script(script)
    with pytest.raises(
        NoScriptError,
        match=r"Put its corrections\.csv next to the play-by-play and import it again",
    ):
        list(replay(script.game_id, "as_called"))
    with pytest.raises(UnknownGameError):
        list(replay("nowhere", "as_called"))


def test_an_import_that_no_longer_knows_the_first_calls_forgets_them() -> None:
    store_script(small())
    script = small(as_called=False)
    store_script(script)
    assert (
        db.session.scalar(text("SELECT count(*) FROM script_steps WHERE variant = 'as_called'"))
        == 0
    )
    assert db.session.scalar(text("SELECT count(*) FROM script_steps WHERE variant = 'final'")) == 5
    assert db.session.get(Game, script.game_id) is not None


def test_the_database_knows_two_variants_only(app: Flask) -> None:
    script = small()
    store_script(script)
    with pytest.raises(Exception, match="ck_script_steps_variant"):
        db.session.execute(
            text("UPDATE script_steps SET variant = 'wished' WHERE step = 1 AND variant = 'final'")
        )
    db.session.rollback()
