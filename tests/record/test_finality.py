"""After the final score: corrections only, whatever the order in which messages come."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from app.core.db import db
from app.record import events as ev
from app.record.finality import REASON, is_final_before
from app.record.ingest import Outcome
from app.record.models import GameState, RecordedEvent, StatLine
from app.stream.messages import Message
from app.stream.models import DeadLetter
from tests.record.deliveries import derived_rows, forget
from tests.worlds.games import ingest, make_game
from tests.worlds.games import messages as game_messages

pytestmark = pytest.mark.fault(7)

FINAL = ev.Final(home_score=7, away_score=0)
TIMEOUT = ev.Timeout(reason="tv")
RUN = ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=35)
START = ev.GameStarted(home="HRB", away="SUM")


def taken_in(*messages: Message) -> Outcome:
    return ingest(messages)


def messages(*bodies: ev.Body) -> list[Message]:
    make_game()
    return game_messages(list(bodies))


def recorded() -> list[int]:
    numbers = (
        select(RecordedEvent.event_number)
        .where(RecordedEvent.revision == 0)
        .order_by(RecordedEvent.event_number)
    )
    return list(db.session.scalars(numbers))


@pytest.mark.parametrize(
    ("bodies", "is_final"),
    [
        ([START], False),
        ([START, FINAL], True),
        ([FINAL, ev.Nullify(events=(1,))], False),
        ([FINAL, FINAL, ev.Nullify(events=(1,))], True),
        ([FINAL, ev.Overturn(event=1, ruling=FINAL)], True),
        ([FINAL, ev.Overturn(event=1, ruling=TIMEOUT)], False),
        ([START, ev.StatCorrection(event=1, ruling=FINAL)], True),
        ([FINAL, ev.Nullify(events=(1,)), ev.Overturn(event=1, ruling=FINAL)], True),
        ([FINAL, ev.Nullify(events=(1,)), TIMEOUT, FINAL], True),
    ],
)
def test_the_highest_number_says_whether_the_score_is_final(
    bodies: list[ev.Body], is_final: bool
) -> None:
    events = list(enumerate(bodies, start=1))
    assert is_final_before(len(bodies) + 1, events) is is_final
    assert is_final_before(len(bodies) + 1, reversed(events)) is is_final
    assert is_final_before(1, events) is False


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("together", [True, False], ids=["in one batch", "one after the other"])
@pytest.mark.parametrize(
    "body", [TIMEOUT, RUN, ev.Challenge(ruling="pending")], ids=["timeout", "run", "challenge"]
)
def test_after_the_final_score_an_event_is_a_dead_letter(body: ev.Body, together: bool) -> None:
    sent = messages(START, FINAL, body)
    for batch in [sent] if together else [[message] for message in sent]:
        outcome = taken_in(*batch)
    assert (recorded(), outcome.dead, outcome.deferred) == ([1, 2], 1, [])
    letter = db.session.scalars(select(DeadLetter)).one()
    assert (letter.reason, letter.payload) == (REASON, sent[2].value)
    assert db.session.get_one(GameState, "g1").status == "final"
    taken_in(*sent)  # again: nothing changes
    assert recorded() == [1, 2]
    assert len(db.session.scalars(select(DeadLetter)).all()) == 1


@pytest.mark.usefixtures("app")
def test_corrections_and_a_newer_final_score_are_taken_after_it() -> None:
    sent = messages(
        START, RUN, FINAL, ev.StatCorrection(event=2, ruling=RUN), FINAL, ev.Nullify(events=(2,))
    )
    outcome = taken_in(*sent)
    assert (recorded(), outcome.dead) == ([1, 2, 3, 4, 5, 6], 0)


@pytest.mark.usefixtures("app")
def test_once_the_final_score_is_taken_back_the_game_goes_on() -> None:
    sent = messages(START, FINAL, ev.Nullify(events=(2,)), RUN, FINAL, TIMEOUT)
    outcome = taken_in(*sent)
    assert (recorded(), outcome.dead) == ([1, 2, 3, 4, 5], 1)


@pytest.mark.usefixtures("app")
def test_what_was_entered_before_the_final_score_may_come_after_it() -> None:
    sent = messages(START, RUN, TIMEOUT, FINAL)
    taken_in(sent[0], sent[3])
    outcome = taken_in(sent[2], sent[1])
    assert (recorded(), outcome.dead, outcome.deferred) == ([1, 2, 3, 4], 0, [])


@pytest.mark.usefixtures("app")
def test_an_event_waits_while_the_one_that_may_have_taken_the_score_back_is_missing() -> None:
    sent = messages(START, FINAL, ev.Nullify(events=(2,)), RUN)
    taken_in(sent[0], sent[1])
    waiting = taken_in(sent[3])
    assert (waiting.deferred, waiting.dead, recorded()) == ([sent[3]], 0, [1, 2])
    taken_in(sent[2])
    outcome = taken_in(sent[3])
    assert (outcome.deferred, recorded()) == ([], [1, 2, 3, 4])


@pytest.mark.usefixtures("app")
def test_any_order_of_arrival_comes_to_the_same_record() -> None:
    sent = messages(START, FINAL, ev.Nullify(events=(2,)), RUN, FINAL)
    outcomes: list[dict[str, Any]] = []
    for order in permutations(sent[1:]):
        forget()
        late = list(taken_in(sent[0]).deferred)
        for message in order:
            late = taken_in(message, *late).deferred
        while late:
            late, before = taken_in(*late).deferred, late
            assert len(late) < len(before)
        outcomes.append(derived_rows())
    assert all(outcome == outcomes[0] for outcome in outcomes)
    assert outcomes[0]["dead_letters"] == []


def test_a_tackle_or_a_hit_noticed_late_counts_after_the_final_score(app: Flask) -> None:
    snap = ev.Snap(possession="HRB", spot=25, period=1, clock=880, down=1, distance=10)
    assist = ev.Tackle(team="SUM", tackler="S9", tackled="H3", kind="assist", yard=35)
    hit = ev.Credit(team="SUM", player="S9", kind="qb_hit")
    taken_in(*messages(START, snap, RUN, FINAL, assist, hit, TIMEOUT))
    assert recorded() == [1, 2, 3, 4, 5, 6]
    line = db.session.scalars(select(StatLine).where(StatLine.player_id == "S9")).one()
    assert line.stats == {"tackles_assist": 1, "tackle_assists": 1, "qb_hits": 1}
