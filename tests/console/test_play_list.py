"""What the play list is worked on with.

One play with what counts of it, an event with what it is ruled on from, and what an entry would
move before it is recorded.
"""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.core.db import db
from app.stream.models import OutboxMessage
from tests.console.conftest import RUN, SNAP, Enter


@pytest.fixture
def two_plays(enter: Enter) -> Enter:
    """Play 1 (#1, #2) at 11:40, play 2 (#3 to #5) at 10:00."""
    enter(SNAP, RUN)
    tackle = {
        "type": "tackle",
        "team": "DAL",
        "tackler": "dal-54",
        "tackled": "sf-25",
        "kind": "solo",
        "yard": 47,
    }
    enter(
        SNAP | {"spot": 34, "clock": 600, "down": 2, "distance": 6},
        RUN | {"start_yard": 34, "end_yard": 47},
        tackle,
    )
    return enter


def get(scorer: FlaskClient, path: str) -> dict[str, Any]:
    answer = scorer.get(f"/console/g1/{path}")
    assert answer.status_code == 200
    assert isinstance(answer.json, dict)
    return answer.json


def test_a_play_comes_with_its_events_and_the_snap_that_follows_it(
    two_plays: Enter, scorer: FlaskClient
) -> None:
    play = get(scorer, "plays/1")
    assert (play["place"], play["next"]) == (1, 2)
    assert [event["number"] for event in play["events"]] == [1, 2]
    assert (play["suggestion"]["down"], play["suggestion"]["spot"]) == (2, 34)
    assert get(scorer, "plays/2")["next"] is None
    assert get(scorer, "plays/0")["next"] == 1
    assert scorer.get("/console/g1/plays/3").status_code == 404


def test_an_event_of_an_earlier_play_brings_that_play_along(
    two_plays: Enter, scorer: FlaskClient
) -> None:
    """What is struck out with an overturn of #1 is of its play, never of the current one."""
    event = get(scorer, "events/2")
    assert [event["number"] for event in event["play_events"]] == [1, 2]
    assert (event["snap"]["spot"], event["ball"]["yard"]) == (30, 30)


def test_the_console_lists_the_plays_in_their_order(two_plays: Enter) -> None:
    late = two_plays(SNAP | {"clock": 650, "play_place": 1.5}, RUN)
    plays = late.json["situation"]["plays"]  # type: ignore[index]
    assert [(play["number"], play["place"], play["next"]) for play in plays] == [
        (2, 2, None),
        (3, 1.5, 2),
        (1, 1, 1.5),
    ]


def test_an_entry_that_is_replaced_leaves_its_room_in_the_play(two_plays: Enter) -> None:
    two_plays({"type": "fumble", "team": "SF", "player": "sf-25", "yard": 47}, play_number=1)
    recent = two_plays({"type": "timeout"}).json["situation"]["recent"]  # type: ignore[index]
    rooms = {tuple(entry["numbers"]): entry["room"] for entry in recent}
    assert rooms == {(7,): None, (6,): None, (3, 4, 5): [3, 7], (1, 2): [1, 6]}


def test_before_enter_the_scorer_sees_what_moves(two_plays: Enter, scorer: FlaskClient) -> None:
    count = select(func.count()).select_from(OutboxMessage)
    before = db.session.scalar(count)
    ruling = RUN | {"start_yard": 34, "end_yard": 100, "is_touchdown": True}
    entry = {"body": {"type": "overturn", "event": 4, "ruling": ruling}, "play_number": 2}
    answer = scorer.post("/console/g1/preview", json={"entries": [entry]})
    assert answer.status_code == 200
    moved = {section["title"]: section["lines"] for section in answer.json["moved"]}  # type: ignore[index]
    assert moved["Score"] == ["SF 0 → 6"]
    (runner,) = (line for line in moved["Statistics and points"] if line.startswith("Joe Runner: "))
    assert runner == (
        "Joe Runner: Rushing yard 17 → 70, Rushing touchdown 0 → 1; points +11.3 Standard, "
        "+11.3 PPR"
    )
    assert moved["Team totals that change"] == ["none: no team has one of these players"]
    assert db.session.scalar(count) == before


def test_a_preview_of_what_would_be_refused_says_why(two_plays: Enter, scorer: FlaskClient) -> None:
    entry = {"body": {"type": "nullify", "events": [99]}}
    answer = scorer.post("/console/g1/preview", json={"entries": [entry]})
    assert answer.status_code == 422
    assert answer.json == {"error": "event: 99 has not happened yet; the last event is 5."}


def test_undo_of_a_struck_out_review_enters_it_again(two_plays: Enter) -> None:
    two_plays({"type": "challenge", "ruling": "pending", "by": "SF"}, play_number=2)
    struck = two_plays({"type": "nullify", "events": [6]}, play_number=2).json["situation"]  # type: ignore[index]
    assert struck["under_review"] == []
    undo = struck["recent"][0]
    assert undo["numbers"] == [7]
    again = two_plays(*undo["undo"], play_number=undo["play_number"]).json["situation"]  # type: ignore[index]
    assert again["under_review"] == [2]


def test_any_correction_is_taken_back_by_its_number_as_well(
    two_plays: Enter, scorer: FlaskClient
) -> None:
    two_plays({"type": "nullify", "events": [2]}, play_number=1)
    (back,) = get(scorer, "events/6")["undo"]
    assert (back["type"], back["event"], back["ruling"]["player"]) == ("overturn", 2, "sf-25")
    assert get(scorer, "events/2")["undo"] == [], "it is struck out already"
    assert two_plays(back, play_number=1).status_code == 200
    (again,) = get(scorer, "events/2")["undo"]
    assert (again["type"], again["events"]) == ("nullify", [2])


def test_before_enter_the_scorer_sees_which_later_play_does_not_follow_any_more(
    two_plays: Enter, scorer: FlaskClient
) -> None:
    """Play 1 gained 4 yards of 10, so play 2 is 2nd & 6.

    Were it 3 yards, 2nd & 7 at the 33 would come.
    """
    ruling = {"type": "overturn", "event": 2, "ruling": RUN | {"end_yard": 33}, "by_scorer": True}
    answer = scorer.post(
        "/console/g1/preview", json={"entries": [{"body": ruling, "play_number": 1}]}
    )
    moved = {section["title"]: section["lines"] for section in answer.json["moved"]}  # type: ignore[index]
    (line,) = moved["No longer balances"]
    assert line.startswith("Play 2: ")
    same = ruling | {"ruling": RUN | {"player": "sf-10"}}
    answer = scorer.post(
        "/console/g1/preview", json={"entries": [{"body": same, "play_number": 1}]}
    )
    assert "No longer balances" not in [section["title"] for section in answer.json["moved"]]  # type: ignore[index]


def test_an_entry_that_opened_its_play_is_entered_anew_from_its_own_snap(enter: Enter) -> None:
    """Its events as they were ruled last, and the ball as it was after that snap."""
    enter(SNAP, RUN)
    second = SNAP | {"spot": 34, "down": 2, "distance": 6}
    enter(second, RUN | {"start_yard": 34, "end_yard": 40})
    ruling = RUN | {"start_yard": 34, "end_yard": 41}
    situation = enter({"type": "overturn", "event": 4, "ruling": ruling}, play_number=2).json[
        "situation"
    ]  # type: ignore[index]
    _, entry, _ = situation["recent"]
    assert (entry["snap"]["spot"], entry["ball"]["yard"], entry["bodies"][1]["end_yard"]) == (
        34,
        34,
        41,
    )
