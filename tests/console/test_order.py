"""Entering a play or an event where it belongs, through the one door.

Numbers rise, and the order is what was said.
"""

from __future__ import annotations

from typing import Any

import pytest

from app.record import events as ev
from scorer_console.record.accepted import accepted_events
from scorer_console.record.effective_events import effective_events, fold, inverse, takes_back
from tests.console.conftest import RUN, SNAP, Enter
from tests.worlds.games import game_events


def order() -> list[int]:
    return [event.event_number for event in accepted_events("g1").fold.in_order]


@pytest.fixture
def two_plays(enter: Enter) -> Enter:
    """Play 1 (#1, #2) at 11:40, play 2 (#3, #4) at 10:00."""
    enter(SNAP, RUN)
    enter(SNAP | {"spot": 40, "clock": 600}, RUN | {"start_yard": 40, "end_yard": 47})
    return enter


def test_a_forgotten_play_is_entered_where_it_belongs(two_plays: Enter) -> None:
    """Its other events follow its snap in the same entry.

    What comes after belongs to the last play of the game.
    """
    late = two_plays(SNAP | {"clock": 650, "play_place": 1.5}, RUN)
    assert [event["play_number"] for event in late.json["accepted"]] == [3, 3]  # type: ignore[index]
    assert order() == [1, 2, 5, 6, 3, 4]
    after = two_plays({"type": "timeout", "team": "SF"})
    assert after.json["accepted"][0]["play_number"] == 2  # type: ignore[index]
    assert after.json["situation"]["play_number"] == 2  # type: ignore[index]
    assert after.json["situation"]["suggestion"]["clock"] == 600  # type: ignore[index]
    following = two_plays(SNAP | {"clock": 560})
    assert following.json["accepted"][0]["play_number"] == 4  # type: ignore[index]
    assert order() == [1, 2, 5, 6, 3, 4, 7, 8]


def test_a_moved_play_can_be_moved_back_by_undo(two_plays: Enter) -> None:
    two_plays({"type": "overturn", "event": 1, "ruling": SNAP | {"play_place": 2.5}}, play_number=1)
    assert order() == [3, 4, 1, 2]
    fold = accepted_events("g1").fold
    assert fold.current_play(2) == 1
    (back,) = inverse(fold, [5])
    assert isinstance(back, ev.Overturn)
    two_plays(ev.body_to(back), play_number=1)
    assert order() == [1, 2, 3, 4]


def test_a_new_ruling_keeps_the_place_of_the_old_one(two_plays: Enter) -> None:
    two_plays(SNAP | {"clock": 650, "play_place": 1.5}, RUN | {"place": 5.5})
    two_plays({"type": "overturn", "event": 5, "ruling": SNAP | {"clock": 640}}, play_number=3)
    two_plays({"type": "overturn", "event": 6, "ruling": RUN | {"end_yard": 31}}, play_number=3)
    standing = {event.event_number: event.body for event in accepted_events("g1").fold.effective}
    snap, run = standing[5], standing[6]
    assert isinstance(snap, ev.Snap)
    assert (snap.clock, snap.play_place, run.place) == (640, 1.5, 5.5)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (SNAP | {"play_place": 4}, "play_place: 4 has not happened yet; give a number below 4."),
        (RUN | {"place": 6}, "place: 6 has not happened yet; give a number up to 5."),
        (SNAP | {"play_place": -1}, "play_place: expected `float` >= 0.0"),
    ],
)
def test_a_place_behind_what_is_to_come_is_refused(
    two_plays: Enter, body: dict[str, Any], words: str
) -> None:
    answer = two_plays(body)
    assert answer.status_code == 422
    assert answer.json == {"error": words}


def test_the_last_entry_is_what_undo_takes_back_unless_it_is_an_undo_itself() -> None:
    overturn = ev.Overturn(event=2, ruling=ev.Timeout(team="SF"))
    snap = ev.Snap(possession="SF", spot=30, period=1, clock=700, down=1, distance=10)
    game = game_events([snap, ev.Timeout(), overturn])
    assert not takes_back([overturn])
    assert takes_back(inverse(fold(game), [3]))
    assert takes_back(inverse(fold(game), [1]))
    assert effective_events(game)[1].body == ev.Timeout(team="SF")
