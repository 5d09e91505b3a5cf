"""`w` and `h` reach every event of a game.

By a player, a play or a quarter, however long ago it was.
"""

from __future__ import annotations

from flask.testing import FlaskClient

from app.record import events as ev
from scorer_console.plays.event_search import FOUND, events_found
from scorer_console.record.effective_events import EffectiveEvent
from tests.console.conftest import RUN, SNAP, Enter

NAMES = {"sf-25": "Joe Runner", "dal-54": "Will Tackle"}
JERSEYS = {"sf-25": 25, "dal-54": 54}


def game(plays: int) -> list[EffectiveEvent]:
    """Plays of three events each: a snap, a run of Joe Runner, a tackle by Will Tackle.

    Ten plays a quarter.
    """
    events = []
    for play in range(1, plays + 1):
        snap = ev.Snap(possession="SF", spot=30, period=(play - 1) // 10 + 1, clock=900 - play)
        run = ev.Run(team="SF", player="sf-25", kind="rush", start_yard=30, end_yard=34)
        tackle = ev.Tackle(team="DAL", tackler="dal-54", tackled="sf-25", kind="solo")
        bodies: tuple[ev.Body, ...] = (snap, run, tackle)
        events += [
            EffectiveEvent(3 * play - 2 + place, play, body) for place, body in enumerate(bodies)
        ]
    return events


def numbers(text: str, plays: int = 45) -> list[int]:
    return [row.number for row in events_found(game(plays), text, NAMES, JERSEYS).rows]


def test_an_event_is_found_by_its_play() -> None:
    assert numbers("p12") == [36, 35, 34]


def test_an_event_is_found_by_its_quarter_and_who_is_named_in_it() -> None:
    assert numbers("q2 tackle p11") == [33]
    assert numbers("RUNNER p11") == [33, 32]  # the tackle names whom it stopped
    assert numbers("ot runner p41") == [123, 122]
    assert numbers("p11 54") == [33]
    assert numbers("p11 4") == [], "a number is a jersey, not the yards"
    assert numbers("q2 p30") == []


def test_a_number_that_no_play_can_have_finds_nothing() -> None:
    """Python reads no number of more than 4,300 digits; the page answered 500."""
    for word in ("p", "q", ""):
        assert numbers(f"{word}{'9' * 5_000}") == []
        assert numbers(f"{'9' * 5_000}{word}ot") == []


def test_the_newest_come_first_and_more_are_told() -> None:
    page = events_found(game(45), "runner", NAMES, JERSEYS)
    assert (len(page.rows), page.rows[0].number, page.more) == (FOUND, 135, True)
    assert not events_found(game(5), "q1 will", NAMES, JERSEYS).more


def test_the_console_asks_for_them(enter: Enter, scorer: FlaskClient) -> None:
    enter(SNAP, RUN)
    answer = scorer.get("/console/g1/events?find=runner+q1")
    assert answer.json == {
        "rows": [
            {"number": 2, "play_number": 1, "words": "Q1 11:40: Joe Runner runs for 4 yards."}
        ],
        "more": False,
    }
    assert scorer.get("/console/none/events?find=runner").status_code == 404
    assert scorer.get("/console/g1/events").json == {"rows": [], "more": False}
