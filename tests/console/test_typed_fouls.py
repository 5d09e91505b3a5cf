"""Each foul typed in one line and walked off from each spot: both engines give the same next snap.

What is right for each foul by its rulebook is in tests/record/situation_every_foul_cases.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import product

import pytest

from app.record import events as ev
from app.record.rules.football.rulebook import rulebook
from app.record.rules.football.situation import next_snap
from app.record.script import Club, Footballer, GameScript
from scorer_console.keys.foul_codes import FOUL_CODES
from scorer_console.record.effective_events import EffectiveEvent
from tests.e2e.typist.headless import Host, headless_console, page_of

HOME, AWAY = "HRB", "SUM"
# What the play before the flag was, as it is typed.
PLAYS = {
    "a run": "r20+4/54",
    "a catch": "p12c81+6+3/54",
    "an incompletion": "pi81+9",
    "a sack": "s12-6/54",
    "a punt with a return": "kp5r40o30+8/44",
    "a touchdown": "r20t",
}
# The foul accepted from where the console proposes, from each other spot, declined, offsetting.
STATUSES = ("a", "a@p", "a@e", "a@f d48", "d", "o")
SAME = ("possession", "spot", "situation", "down", "distance", "period", "over", "check")


def made_up(competition: str) -> GameScript:
    jerseys = (4, 5, 12, 20, 40, 44, 54, 81)
    return GameScript(
        game_id="made-up",
        season=2025,
        season_type="REG",
        week=1,
        kickoff=datetime(2025, 9, 7, 17, tzinfo=UTC),
        home=Club(HOME, HOME, HOME),
        away=Club(AWAY, AWAY, AWAY),
        footballers=tuple(
            Footballer(f"{club}{number}", f"{club} {number}", club, "LB", number)
            for club in (HOME, AWAY)
            for number in jerseys
        ),
        events=(),
        competition=competition,
    )


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with headless_console() as running:
        yield running


@pytest.mark.parametrize("competition", ["nfl", "ncaa", "nfhs"])
@pytest.mark.parametrize("before", PLAYS)
def test_a_foul_typed_in_one_line_leads_to_the_same_snap_in_both_engines(
    host: Host, competition: str, before: str
) -> None:
    script = made_up(competition)
    book = rulebook(competition, 2025)
    fouls = [
        code for code, names in FOUL_CODES.items() if any(n.lower() in book.fouls for n in names)
    ]
    assert len(fouls) > 30
    host.ask("begin", page_of(script, book))
    host.ask("press", ["b", "Enter", "Enter"])
    for line in ("kt", "r20+2/54", PLAYS[before]):
        assert host.ask("line", line) == "", line
    host.ask("play")
    typed, faults = 0, []
    for code, club, status in product(fouls, "hv", STATUSES):
        line = f"n {club} {code} - {status}"
        if host.ask("line", line):
            continue  # that cannot be: an offence's foul by the defence, a run that has no end
        typed += 1
        proposed = host.ask("suggestion")
        standing = [
            EffectiveEvent(number, play, ev.body_from(body))
            for number, play, body in host.ask("standing")
        ]
        due = asdict(next_snap(standing, home=HOME, away=AWAY, book=book))
        if different := {n: (proposed.get(n), due[n]) for n in SAME if proposed.get(n) != due[n]}:
            faults.append(f"{line}: {different}")
        host.ask("differs", 0)  # back to the play without the flag
    assert typed > 100
    assert faults == []
