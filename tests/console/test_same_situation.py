"""The browser works out the same situation from unsent entries as the server does later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace as replaced
from datetime import UTC, datetime
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from app.core import clock
from app.demo.seed import simulated_game
from app.record import events as ev
from app.record.script import Club, GameScript, ScriptedEvent
from app.record.services import store_script
from scorer_console import queries
from scorer_console.entry import page
from scorer_console.entry.situation_events import standing
from scorer_console.record.effective_events import Fold
from scorer_console.record.numbering import Entry
from tests.browser_rules import ask_browser_rules
from tests.record.situation_overtime_cases import SERIES, TO_HOME, at, goal, miss, received
from tests.record.situation_plays import AWAY, HOME, STARTED, begins, ends, kick, rush
from tests.sizes import FULL, size
from tests.worlds.real_games import FILES, name_of, real_game
from tests.worlds.scorer import submit

pytestmark = pytest.mark.usefixtures("app")

PIECES = None if FULL else 120  # how many events of a game are entered; None: all

SAME = (
    "suggestion",
    "snap",
    "ball",
    "passed",
    "live",
    "score",
    "status",
    "delayed",
    "period",
    "play_number",
    "next_event",
)


def situation(game_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the page carries, as the browser reads it; and the rulebook."""
    desk = queries.desk(game_id, clock.now())
    assert desk is not None
    screen = page.screen(desk, [], clock.now())
    recorded: dict[str, Any] = json.loads(json.dumps(screen.situation))
    return recorded, screen.rulebook.as_json()


def shown(full: dict[str, Any]) -> dict[str, Any]:
    """What must be the same; the words of an event are each side's own."""
    events = [
        (event["number"], event["play_number"], event["type"], event["body"])
        for event in full["play_events"]
    ]
    # how many there are in overtime depends on the kind of the game
    regular = full["suggestion"]["period"] <= 4
    return {name: full[name] for name in SAME} | {
        "play_events": events,
        "timeouts": regular and full["timeouts"],
    }


def compare(script: GameScript, steps: tuple[ScriptedEvent, ...]) -> None:
    """Enters the game in pieces of one to nine events.

    Before each, the browser is asked what comes of it.
    """
    store_script(script)
    clubs = {"home": script.home.id, "away": script.away.id}
    situations, questions = [], []
    done = 0
    for length in cycle((1, 2, 5, 3, 9, 4)):
        before, rules = situation(script.game_id)
        situations.append(before)
        piece = steps[done : done + length]
        if not piece:
            break
        entries = [
            {"body": ev.body_to(step.body), "play_number": step.play_number} for step in piece
        ]
        questions.append(
            {
                "server": before,
                "items": [{"key": "new", "entries": entries}],
                "clubs": clubs,
                "rules": rules,
            }
        )
        submit(
            script.game_id,
            [Entry(step.body, f"{done + at}:0", step.play_number) for at, step in enumerate(piece)],
            clock.now(),
        )
        done += length
    for answer, (_, after) in zip(
        ask_browser_rules("unsent.js", questions), pairwise(situations), strict=True
    ):
        assert shown(answer) == shown(after), f"before event {after['next_event']}"


@pytest.mark.sized
@pytest.mark.parametrize("seed", range(1, 1 + size("PRESSBOX_GAMES_IN_PIECES", 1, 2)))
def test_a_simulated_game_in_pieces(seed: int) -> None:
    script = simulated_game(seed, datetime(2026, 9, 13, tzinfo=UTC))
    compare(script, script.events[:PIECES])


def test_corrections_are_folded_as_the_server_folds_them() -> None:
    """Every fourth event is taken back, every seventh re-ruled, every ninth brought back."""
    script = simulated_game(3, datetime(2026, 9, 13, tzinfo=UTC))
    steps: list[ScriptedEvent] = []

    def add(body: ev.Body) -> int:
        steps.append(ScriptedEvent(at_ms=0, body=body))
        return len(steps)

    for count, step in enumerate(script.events[:150]):
        # its numbers are those of the game without these
        if isinstance(step.body, ev.Correction | ev.Challenge):
            continue
        number = add(step.body)
        if count % 4 == 0:
            add(ev.Nullify(events=(number,)))
        if count % 7 == 0:
            add(ev.Overturn(event=number, ruling=step.body))
        if isinstance(step.body, ev.Run) and count % 3 == 0:
            add(ev.StatCorrection(event=number, ruling=replace(step.body, end_yard=50)))
    compare(script, tuple(steps))


# Drives longer than the plays that the page carries: who has had the ball must not be forgotten.
LONG_DRIVE_OF_SERIES = [
    body
    for yard in range(75, 93, 2)
    for body in (at(yard, 1, 10, AWAY, 6), rush(yard + 2, yard, AWAY))
]
LONG_DRIVE = [
    body
    for yard in range(30, 48, 2)
    for body in (at(yard, 1, 10, AWAY), rush(yard + 2, yard, AWAY))
]
OVERTIMES: dict[str, tuple[str, int, list[ev.Body]]] = {
    "both clubs have the ball": (
        "nfl",
        2019,
        [*TO_HOME, *goal(HOME), *received(AWAY), *LONG_DRIVE, *miss(AWAY)],
    ),
    "a punt before": (
        "nfl",
        2019,
        [
            *TO_HOME,
            at(30, 4, 8),
            kick("punt", "fair_catch", 30, 45),
            *LONG_DRIVE,
            *LONG_DRIVE,
            *goal(AWAY),
        ],
    ),
    "two extra periods at college": (
        "ncaa",
        2021,
        [
            *SERIES,
            *goal(AWAY),
            *goal(HOME),
            ends(5),
            begins(6),
            *goal(HOME, 6),
            *LONG_DRIVE_OF_SERIES,
            *miss(AWAY, 75, 6),
        ],
    ),
}


@pytest.mark.parametrize("case", OVERTIMES)
def test_overtime_in_pieces_to_its_end(case: str) -> None:
    competition, season, bodies = OVERTIMES[case]
    script = replaced(
        simulated_game(1, datetime(2026, 9, 13, tzinfo=UTC)),
        season=season,
        competition=competition,
        home=Club(HOME, HOME),
        away=Club(AWAY, AWAY),
        footballers=(),
        events=tuple(ScriptedEvent(at_ms=0, body=body) for body in (STARTED, *bodies)),
    )
    compare(script, script.events)
    recorded, _ = situation(script.game_id)
    assert recorded["suggestion"]["over"]
    screen = page.screen(queries.desk(script.game_id, clock.now()), [], clock.now())  # type: ignore[arg-type]
    assert screen.strip.situation == "game over"


def test_an_entry_that_the_server_has_shown_already_does_not_count_twice() -> None:
    script = simulated_game(1, datetime(2026, 9, 13, tzinfo=UTC))
    store_script(script)
    submit(
        script.game_id,
        [Entry(step.body, f"k{at}:0") for at, step in enumerate(script.events[:30])],
        clock.now(),
    )
    server, rules = situation(script.game_id)
    assert server["entered"][:2] == ["k29", "k28"]
    last = {
        "key": "k29",
        "entries": [{"body": ev.body_to(script.events[29].body), "play_number": None}],
    }
    clubs = {"home": script.home.id, "away": script.away.id}
    (answer,) = ask_browser_rules(
        "unsent.js", [{"server": server, "items": [last], "clubs": clubs, "rules": rules}]
    )
    assert shown(answer) == shown(server)
    assert answer["waits"] == 0


def prefixes(script: GameScript) -> Iterator[Fold]:
    fold, play = Fold(), 0
    for number, step in enumerate(script.events, start=1):
        play += isinstance(step.body, ev.Snap)
        fold = fold.with_events(
            [
                ev.GameEvent(
                    game_id=script.game_id,
                    event_number=number,
                    play_number=play if step.play_number is None else step.play_number,
                    epoch=1,
                    recorded_at=0,
                    body=step.body,
                )
            ]
        )
        yield fold


@pytest.mark.realgames
@pytest.mark.sized
@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, id=name_of(file), marks=[pytest.mark.full] if at else [])
        for at, file in enumerate(FILES[::6])
    ],
)
def test_a_real_game_in_pieces(file: Path) -> None:
    """As first called, with what took it away, where that is known."""
    script = real_game(file)
    compare(script, (script.as_called or script.events)[:PIECES])


def test_what_the_page_carries_is_small() -> None:
    script = simulated_game(1, datetime(2026, 9, 13, tzinfo=UTC))
    sizes = [len(json.dumps(standing(fold), separators=(",", ":"))) for fold in prefixes(script)]
    assert max(sizes) < 8_000
    assert len(sizes) > 300
