"""A spotter beside the scorer.

Names and credits merged into the scorer's plays, safely (decision 47).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from app.core.db import db
from app.record import events as ev
from app.record.models import Footballer
from app.record.pages.play_list import plays_of
from app.record.queries import EventRow
from app.record.rules.reviews import plays_under_review
from app.stream.models import OutboxMessage
from scorer_console import queries
from scorer_console.lease import leases
from scorer_console.record.accepted import accepted_events
from scorer_console.spotter import services as spotter
from scorer_console.spotter.rules import Credit
from scorer_console.spotter.services import SpottedPlay
from tests.console.conftest import RUN, SNAP, Enter

NOW = datetime(2026, 11, 22, 18, 5, tzinfo=UTC)
CATCH = {"type": "pass", "team": "SF", "result": "complete", "throw_yard": 30, "reception_yard": 38}
AFTER = {"type": "run", "team": "SF", "kind": "after_catch", "start_yard": 38, "end_yard": 44}
Spot = Callable[..., TestResponse]


@pytest.fixture
def spot(enter: Enter, sign_in: Callable[..., FlaskClient]) -> Spot:
    """Sends credits of a play as the spotter bob.

    `spot(1, {"role": "tackle", "player": "dal-54"})`.
    """
    db.session.add(
        Footballer(id="dal-59", name="Sam Help", club_id="DAL", position="LB", number=59)
    )
    db.session.commit()
    bob = sign_in("scorer", "bob")

    def send(play: int, *credit_entries: dict[str, Any], key: str | None = None) -> TestResponse:
        body = {"key": key or str(uuid4()), "play_number": play, "credits": list(credit_entries)}
        return bob.post("/console/g1/spotter", json=body)

    return send


def standing(play: int = 1) -> list[dict[str, Any]]:
    db.session.rollback()
    return [
        ev.body_to(event.body)
        for event in accepted_events("g1").fold.effective
        if event.play_number == play
    ]


def credit(role: str, player: str | None, **more: Any) -> dict[str, Any]:
    return {"role": role, "player": player} | more


def test_tackles_of_several_entries_share_and_say_whom_they_stopped_and_where(
    enter: Enter, spot: Spot
) -> None:
    enter(SNAP, RUN)
    assert spot(1, credit("tackle", "dal-54")).status_code == 200
    solo = {
        "type": "tackle",
        "team": "DAL",
        "tackler": "dal-54",
        "tackled": "sf-25",
        "kind": "solo",
        "yard": 34,
    }
    assert standing()[2:] == [solo]
    assert spot(1, credit("assist", "dal-59")).status_code == 200
    assert [(tackle["tackler"], tackle["kind"]) for tackle in standing()[2:]] == [
        ("dal-54", "primary"),
        ("dal-59", "assist"),
    ]
    assert spot(1, {"role": "assist", "event": 4, "take_back": True}).status_code == 422, (
        "4 is the share of the tackle"
    )
    assert spot(1, {"role": "assist", "event": 5, "take_back": True}).status_code == 200
    assert standing()[2:] == [solo]


def test_a_name_is_put_to_the_pass_and_to_the_run_that_goes_on_from_it(
    enter: Enter, spot: Spot
) -> None:
    enter(SNAP, CATCH, AFTER)
    answer = spot(1, credit("receiver", "sf-25", event=2), credit("passer", "sf-10", event=2))
    assert answer.status_code == 200
    assert standing()[1:] == [
        CATCH | {"receiver": "sf-25", "passer": "sf-10"},
        AFTER | {"player": "sf-25"},
    ]
    (play,) = answer.json["situation"]["plays"]
    assert play["missing"] == ["tackled by"]


def test_a_name_never_turns_back_what_the_scorer_corrected_meanwhile(
    enter: Enter, spot: Spot
) -> None:
    enter(SNAP, CATCH)
    enter({"type": "overturn", "event": 2, "ruling": CATCH | {"reception_yard": 36}}, play_number=1)
    assert spot(1, credit("receiver", "sf-25", event=2)).status_code == 200
    assert standing()[1] == CATCH | {"reception_yard": 36, "receiver": "sf-25"}
    stale = spot(1, credit("receiver", "sf-10", event=2))
    assert stale.status_code == 422
    assert "the record now names Joe Runner" in stale.json["error"]
    assert spot(1, credit("receiver", "sf-10", event=2, was="sf-25")).status_code == 200


@pytest.mark.parametrize(
    ("play", "body", "words"),
    [
        (9, credit("tackle", "dal-54"), "this game has no play 9"),
        (1, credit("tackle", "sf-25"), "Joe Runner does not play for DAL"),
        (1, credit("tackle", "nobody"), "nobody does not play for DAL"),
        (
            1,
            credit("forced_by", "dal-54", event=2),
            "#2 of play 1 was removed or has changed",
        ),
        (1, credit("receiver", "sf-25", event=99), "#99 of play 1"),
        (1, credit("dances", "sf-25"), "role: 'dances' is not one of"),
        (1, {"role": "tackle", "event": 2, "take_back": True}, "#2 is no longer a credit"),
    ],
    ids=["no play", "other club", "no player", "no fumble", "no event", "no role", "no credit"],
)
def test_what_does_not_fit_the_play_is_refused_with_the_reason(
    enter: Enter, spot: Spot, play: int, body: dict[str, Any], words: str
) -> None:
    enter(SNAP, RUN)
    refused = spot(play, body)
    assert refused.status_code == 422
    assert words in refused.json["error"]
    assert len(standing()) == 2


def test_a_credit_is_never_given_twice(enter: Enter, spot: Spot) -> None:
    enter(SNAP, RUN)
    key = str(uuid4())
    first = spot(1, credit("tackle", "dal-54"), credit("tackle_for_loss", "dal-54"), key=key)
    again = spot(1, credit("tackle", "dal-54"), credit("tackle_for_loss", "dal-54"), key=key)
    numbers = [event["event_number"] for event in first.json["accepted"]]
    assert [event["event_number"] for event in again.json["accepted"]] == numbers
    assert all(event["repeated"] for event in again.json["accepted"])
    for role in ("tackle", "assist", "tackle_for_loss"):
        assert "already" in spot(1, credit(role, "dal-54")).json["error"]
    assert len(standing()) == 4


def test_a_play_that_is_only_snapped_is_waited_for_and_one_that_was_struck_out_is_refused(
    enter: Enter, spot: Spot
) -> None:
    enter(SNAP)
    assert spot(1, credit("tackle", "dal-54")).status_code == 409
    enter(RUN)
    assert spot(1, credit("tackle", "dal-54")).status_code == 200
    enter(SNAP | {"spot": 34})
    enter({"type": "nullify", "events": [1, 2, 3]}, play_number=1)
    refused = spot(1, credit("tackle", "dal-59"))
    assert refused.status_code == 422
    assert "play 1 was struck out" in refused.json["error"]
    enter(SNAP | {"spot": 34})
    left = spot(2, credit("tackle", "dal-59"))
    assert left.status_code == 422, "the game went on without an action in play 2"


def test_the_spotter_numbers_under_the_scorers_epoch_whoever_has_the_game(
    enter: Enter, spot: Spot
) -> None:
    enter(SNAP, RUN)
    spot(1, credit("tackle", "dal-54"))
    enter(SNAP | {"spot": 34}, RUN)
    db.session.rollback()
    lease = leases.current("g1")
    assert lease is not None
    rows = db.session.scalars(select(OutboxMessage).order_by(OutboxMessage.event_number)).all()
    assert [row.event_number for row in rows] == [1, 2, 3, 4, 5]
    assert {ev.decode(row.payload).epoch for row in rows} == {lease.epoch}
    assert [row.play_number for row in rows] == [1, 1, 1, 2, 2]
    assert rows[2].idempotency_key.startswith("spotter:"), "whose credit it is stays with it"


def test_a_dozen_senders_of_one_entry_give_one_credit(app: Flask, enter: Enter, spot: Spot) -> None:
    enter(SNAP, RUN)
    key = str(uuid4())

    def send(_: int) -> int:
        with app.app_context():
            spotted = SpottedPlay("7", key, 1, [Credit("tackle", "dal-54")])
            return spotter.spot_credits("g1", spotted, NOW)[0].event_number

    with ThreadPoolExecutor(max_workers=4) as pool:
        assert set(pool.map(send, range(12))) == {3}
    assert len(standing()) == 3


def test_a_spotters_credit_is_not_what_the_scorers_undo_begins_with(
    enter: Enter, spot: Spot
) -> None:
    enter(SNAP, RUN)
    spot(1, credit("tackle", "dal-54"))
    recent = enter({"type": "timeout"}).json["situation"]["recent"]
    assert [(entry["numbers"], entry["spotter"]) for entry in recent] == [
        ([4], False),
        ([3], True),
        ([1, 2], False),
    ]


def test_a_name_lifts_no_hold_and_nothing_is_taken_back_under_review(
    enter: Enter, spot: Spot
) -> None:
    enter(SNAP, CATCH)
    enter({"type": "challenge", "ruling": "pending"}, {"type": "challenge", "ruling": "overturned"})
    assert (
        spot(1, credit("receiver", "sf-25", event=2), credit("qb_hit", "dal-54")).status_code == 200
    )
    fold = accepted_events("g1").fold
    events = [
        (event.event_number, event.play_number, event.body)
        for event in [*fold.effective, *fold.corrections]
    ]
    assert plays_under_review(events) == [1]
    refused = spot(1, {"role": "qb_hit", "event": 6, "take_back": True})
    assert "under review" in refused.json["error"]


def test_on_the_games_page_a_name_is_no_correction(enter: Enter, spot: Spot) -> None:
    enter(SNAP, CATCH)
    spot(1, credit("receiver", "sf-25", event=2))
    events = accepted_events("g1").fold.entered
    rows = [
        EventRow(1, 0, 1, True, events[0].body, None, 0),
        EventRow(2, 0, 1, False, events[1].body, 3, 0),
        EventRow(2, 3, 1, True, events[2].body.ruling, None, 0),  # type: ignore[union-attr]
        EventRow(3, 0, 1, True, events[2].body, None, 0),
    ]
    game = queries.game("g1")
    (play,) = plays_of(rows, {"sf-25": "Joe Runner"}, game)  # type: ignore[arg-type]
    assert [str(line.words) for line in play.lines] == [
        "An unnamed player to Runner to the SF 38 for 8."
    ]


def test_the_page_shows_the_plays_newest_first_and_what_lacks_a_name(
    enter: Enter, scorer: FlaskClient, spot: Spot
) -> None:
    empty = scorer.get("/console/g1/spotter").text
    assert "No plays yet." in empty
    enter(SNAP, RUN)
    enter(SNAP | {"spot": 34})
    page = scorer.get("/console/g1/spotter").text
    assert page.index('data-play="2"') < page.index('data-play="1"')
    assert "tackled by" in page
    assert "The ball is live" in page
    assert 'href="/console/g1/spotter"' in scorer.get("/console/").text


def test_older_plays_are_on_pages_of_their_own(
    enter: Enter, scorer: FlaskClient, spot: Spot
) -> None:
    for number in range(spotter.SHOWN_PLAYS + 2):
        enter(SNAP | {"clock": 700 - number}, RUN)
    newest = scorer.get("/console/g1/spotter").text
    assert newest.count("data-play=") == spotter.SHOWN_PLAYS
    assert "/console/g1/spotter?to=2" in newest
    older = scorer.get("/console/g1/spotter?to=2").text
    assert older.count("data-play=") == 2
    assert f"/console/g1/spotter?to={spotter.SHOWN_PLAYS + 2}" in older
    assert "No plays yet" in scorer.get("/console/g1/spotter?to=-5").text


def test_an_unchanged_list_of_plays_is_answered_unread(
    enter: Enter, scorer: FlaskClient, spot: Spot
) -> None:
    enter(SNAP, RUN)
    first = scorer.get("/console/g1/spotter/plays", headers={"HX-Request": "true"})
    etag = first.headers["ETag"]
    same = scorer.get(
        "/console/g1/spotter/plays", headers={"HX-Request": "true", "If-None-Match": etag}
    )
    assert same.status_code == 304
    spot(1, credit("tackle", "dal-54"))
    moved = scorer.get(
        "/console/g1/spotter/plays", headers={"HX-Request": "true", "If-None-Match": etag}
    )
    assert "54 Will Tackle" in moved.text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"key": "x", "play_number": 1, "credits": [{"role": "tackle"}]}, "key"),
        ({"key": str(uuid4()), "play_number": 0, "credits": [{"role": "tackle"}]}, "play_number"),
        ({"key": str(uuid4()), "play_number": 1, "credits": []}, "credits"),
        (
            {
                "key": str(uuid4()),
                "play_number": 1,
                "credits": [{"role": "tackle", "event": "two"}],
            },
            "event",
        ),
    ],
    ids=["key", "play", "no credits", "event"],
)
def test_an_entry_that_cannot_be_read_says_which_field_to_change(
    enter: Enter, scorer: FlaskClient, body: dict[str, Any], words: str
) -> None:
    enter(SNAP, RUN)
    refused = scorer.post("/console/g1/spotter", json=body)
    assert refused.status_code == 422
    assert words in refused.json["error"]


def test_nobody_sends_a_spotters_entries_under_another_name(
    enter: Enter, scorer: FlaskClient
) -> None:
    enter(SNAP, RUN)
    body = {
        "key": str(uuid4()),
        "play_number": 1,
        "credits": [credit("tackle", "dal-54")],
        "scorer": "999",
    }
    assert scorer.post("/console/g1/spotter", json=body).status_code == 403
    assert len(standing()) == 2


@pytest.mark.parametrize("part", ["/console/g1/spotter/plays", "/console/g1/log"])
def test_a_part_of_a_page_opened_by_itself_is_the_page(
    enter: Enter, scorer: FlaskClient, part: str
) -> None:
    enter(SNAP, RUN)
    page = scorer.get(part, follow_redirects=True)
    assert page.status_code == 200
    assert "</html>" in page.text
