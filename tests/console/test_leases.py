"""One scorer a game.

The lease, its end, taking over, and what an old epoch can no longer do (PRODUCT A2).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.core.db import db
from app.record import events as ev
from app.record.ingest import ingest_batch
from app.record.models import RecordedEvent, ScorerLease
from app.record.rebuild import identifier
from app.stream.messages import Message
from app.stream.models import DeadLetter, OutboxMessage
from app.stream.topics import GAME_EVENTS
from scorer_console.lease import leases
from scorer_console.lease.leases import (
    LEASE,
    HandedOverError,
    Holder,
    LeaseHeldError,
    LeaseLostError,
)
from scorer_console.record.numbering import Entry, submit
from tests.console.conftest import CONSOLE, RUN, SNAP, Enter
from tests.worlds.scorer import leave

NOW = datetime(2026, 11, 22, 18, 5, tzinfo=UTC)
ANN, BOB = Holder("ann:1", "Ann"), Holder("bob:1", "Bob")
BODY = ev.Snap(possession="SF", spot=30, period=1, clock=700, down=1, distance=10)


def enter_as(holder: Holder, key: str, now: datetime = NOW) -> int:
    return submit("g1", [Entry(BODY, key)], now, console=holder.console)[0].event_number


@pytest.mark.fault(9)
def test_the_second_console_is_refused_until_it_takes_over_and_then_the_first_one_is(
    game: str,
) -> None:
    first = leases.take(game, ANN, NOW)
    assert enter_as(ANN, "a") == 1
    with pytest.raises(LeaseHeldError, match="Ann is scoring this game"):
        leases.take(game, BOB, NOW)
    with pytest.raises(LeaseLostError, match="Ann"):
        enter_as(BOB, "b")
    second = leases.take(game, BOB, NOW, take_over=True)
    assert second.epoch == first.epoch + 1
    assert enter_as(BOB, "b") == 2
    with pytest.raises(LeaseLostError, match="Bob took over the game"):
        enter_as(ANN, "c")
    assert db.session.scalars(
        select(OutboxMessage.idempotency_key).order_by(OutboxMessage.id)
    ).all() == ["a", "b"]


def test_what_was_accepted_is_answered_again_although_the_lease_has_passed_on(game: str) -> None:
    leases.take(game, ANN, NOW)
    assert enter_as(ANN, "a") == 1
    leases.take(game, BOB, NOW, take_over=True)
    assert enter_as(ANN, "a") == 1


def test_nobody_enters_with_a_lease_that_ran_out_and_a_new_one_is_a_new_epoch(game: str) -> None:
    first = leases.take(game, ANN, NOW)
    with pytest.raises(LeaseLostError, match="ran out"):
        enter_as(ANN, "a", NOW + LEASE)
    leases.renew(game, ANN.console, NOW + LEASE)
    with pytest.raises(LeaseLostError, match="ran out"):
        enter_as(ANN, "a", NOW + LEASE)
    assert leases.take(game, ANN, NOW + LEASE).epoch == first.epoch + 1
    assert enter_as(ANN, "a", NOW + LEASE) == 1


def test_what_was_made_before_another_console_had_the_game_is_not_taken_by_itself(
    game: str,
) -> None:
    first = leases.take(game, ANN, NOW)
    leases.take(game, BOB, NOW, take_over=True)
    again = leases.take(game, ANN, NOW, take_over=True)

    def enter_made_under(epoch: int, key: str) -> int:
        return submit(game, [Entry(BODY, key)], NOW, console=ANN.console, made_under=epoch)[
            0
        ].event_number

    with pytest.raises(HandedOverError, match="Bob had the game after you entered this"):
        enter_made_under(first.epoch, "a")
    assert enter_made_under(again.epoch, "a") == 1
    assert enter_made_under(first.epoch, "a") == 1, "what was accepted is answered again"


def test_a_lease_that_ran_out_and_was_taken_again_by_the_same_console_keeps_its_entries(
    game: str,
) -> None:
    first = leases.take(game, ANN, NOW)
    leases.take(game, ANN, NOW + LEASE)
    accepted = submit(
        game, [Entry(BODY, "a")], NOW + LEASE, console=ANN.console, made_under=first.epoch
    )
    assert accepted[0].event_number == 1


def test_what_was_recorded_since_an_epoch_is_listed_by_entry_with_who_entered_it(
    enter: Enter, scorer: FlaskClient
) -> None:
    assert enter(SNAP, RUN).status_code == 200
    leases.take("g1", BOB, NOW, take_over=True)
    submit(
        "g1",
        [Entry(BODY, "b:0"), Entry(ev.Timeout(), "b:1"), Entry(ev.Timeout(), "c:0")],
        NOW,
        console=BOB.console,
    )
    submit("g1", [Entry(ev.Nullify(events=(5,)), "d:0")], NOW, console=BOB.console)
    since = scorer.get("/console/g1/since/1").json
    assert [(entry["numbers"], entry["by"], entry["stands"]) for entry in since["entries"]] == [
        ([3, 4], "Bob", True),
        ([5], "Bob", False),
        ([6], "Bob", True),
    ]
    assert since["earlier"] == 0
    assert [body["type"] for body in since["entries"][0]["bodies"]] == ["snap", "timeout"]
    assert len(scorer.get("/console/g1/since/0").json["entries"]) == 4


def test_a_renewed_lease_lives_on_and_keeps_its_epoch(game: str) -> None:
    first = leases.take(game, ANN, NOW)
    later = NOW + LEASE - timedelta(seconds=1)
    leases.renew(game, BOB.console, later)
    leases.renew(game, ANN.console, later)
    lease = leases.current(game)
    assert lease is not None
    assert (lease.epoch, lease.expires_at) == (first.epoch, later + LEASE)
    assert enter_as(ANN, "a", NOW + LEASE) == 1


def test_a_game_whose_lease_has_ended_is_free_at_once(game: str) -> None:
    leases.take(game, ANN, NOW)
    leave(game, NOW, ANN.console)
    assert leases.take(game, BOB, NOW).holder == "Bob"


@pytest.mark.fault(9)
def test_of_eight_who_reach_for_a_free_game_one_gets_it(app: Flask, game: str) -> None:
    def reach(number: int) -> bool:
        with app.app_context():
            try:
                leases.take(game, Holder(f"c{number}", "somebody"), NOW)
            except LeaseHeldError:
                return False
            return True

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert sum(pool.map(reach, range(8))) == 1
    assert len(db.session.scalars(select(ScorerLease)).all()) == 1


def message(number: int, epoch: int) -> Message:
    event = ev.GameEvent(
        game_id="g1", event_number=number, play_number=0, epoch=epoch, recorded_at=0, body=BODY
    )
    return Message(GAME_EVENTS.name, 0, number * 10 + epoch, "g1", ev.encode(event))


@pytest.mark.fault(9)
def test_ingestion_refuses_an_epoch_that_was_over_when_the_number_was_given(game: str) -> None:
    leases.take(game, ANN, NOW)
    assert [enter_as(ANN, "a"), enter_as(ANN, "b")] == [1, 2]
    leases.take(game, BOB, NOW, take_over=True)
    assert enter_as(BOB, "c") == 3
    # The late first two are Ann's own; the third was never Ann's to number, whenever it comes.
    ingest_batch(
        [message(3, epoch=1), message(2, epoch=1), message(3, epoch=2), message(1, epoch=1)],
        NOW,
        print,
    )
    rows = db.session.execute(
        select(RecordedEvent.event_number, RecordedEvent.epoch).order_by("event_number")
    ).all()
    assert [tuple(row) for row in rows] == [(1, 1), (2, 1), (3, 2)]
    letter = db.session.scalars(select(DeadLetter)).one()
    assert (
        letter.reason == "epoch: 1 is over; epoch 2 has numbered this game's events since event 3"
    )
    assert letter.payload == message(3, epoch=1).value


def test_archive_and_rebuild_pass_over_what_an_old_epoch_sent(game: str) -> None:
    leases.take(game, ANN, NOW)
    enter_as(ANN, "a")
    leases.take(game, BOB, NOW, take_over=True)
    known_by = identifier()
    assert known_by(message(1, epoch=1).value) == (game, 1)
    assert known_by(message(2, epoch=1).value) is None
    assert known_by(message(2, epoch=2).value) == (game, 2)
    assert known_by(b"{") is None


def test_the_page_says_who_scores_and_the_log_keeps_their_lease_alive(
    enter: Enter, scorer: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    assert enter(SNAP).status_code == 200
    other = sign_in("scorer", "bob")
    there = str(uuid4())
    refused = other.post("/console/g1/lease", json={"console": there})
    assert refused.status_code == 409
    assert "A-Scorer is scoring this game" in refused.json["error"]
    assert refused.json["situation"]["lease"]["holder"] == "A-Scorer"
    lease = db.session.scalars(select(ScorerLease)).one()
    lease.expires_at -= timedelta(seconds=10)
    db.session.commit()
    before = lease.expires_at
    other.get("/console/g1/log", headers={"HX-Request": "true", "X-Console": there})
    db.session.refresh(lease)
    assert lease.expires_at == before
    scorer.get("/console/g1/log", headers={"HX-Request": "true", "X-Console": CONSOLE})
    db.session.refresh(lease)
    assert lease.expires_at > before
    assert other.post("/console/g1/lease", json={"console": there, "over": True}).status_code == 200
    lost = enter(SNAP)
    assert lost.status_code == 409
    assert "Bob took over the game" in lost.json["error"]
    assert lost.json["situation"]["lease"]["live"]


def test_without_javascript_the_game_is_taken_over_by_a_tick(
    enter: Enter, sign_in: Callable[..., FlaskClient]
) -> None:
    bob = sign_in("scorer", "bob")
    form = {"key": str(uuid4()), "type": "timeout", "body": "{}"}
    refused = bob.post("/console/g1/form", data=form)
    assert refused.status_code == 422
    assert "A-Scorer is scoring this game" in refused.text
    assert bob.post("/console/g1/form", data=form | {"over": "y"}).status_code == 303
