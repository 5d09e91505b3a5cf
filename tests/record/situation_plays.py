"""A game's plays in few words, and a case of situation_examples.py.

What was played, and the snap that must follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.record import events as ev
from app.record.rules.football.rulebook import Rulebook, rulebook
from app.record.rules.football.situation import next_snap
from app.record.rules.football.suggestion import Suggestion
from scorer_console.record.effective_events import EffectiveEvent

HOME, AWAY = "SF", "DAL"
Line = tuple[str, int, int | None, int | None, str]


@dataclass(frozen=True)
class Case:
    """`line`: what must come, by the rule book; `check`: whether the scorer is asked to look.

    `choices`: who, what, the line that follows, and whether the play is wiped out; `over`: the game
    is over.
    """

    bodies: Sequence[ev.Body]
    line: Line
    check: bool = False
    competition: str = "nfl"
    season: int = 2019
    season_type: str = "REG"
    over: bool = False
    choices: Sequence[tuple[str, str, Line, bool]] = ()

    @property
    def events(self) -> list[EffectiveEvent]:
        play, events = 0, []
        for number, body in enumerate(self.bodies, start=1):
            play += isinstance(body, ev.Snap)
            events.append(EffectiveEvent(number, play, body))
        return events

    @property
    def book(self) -> Rulebook:
        return rulebook(self.competition, self.season, self.season_type)

    @property
    def suggestion(self) -> Suggestion:
        return next_snap(self.events, home=HOME, away=AWAY, book=self.book)


def first(team: str, spot: int, distance: int = 10) -> Line:
    return team, spot, 1, distance, "scrimmage"


def down(team: str, spot: int, number: int, distance: int) -> Line:
    return team, spot, number, distance, "scrimmage"


def kicks(team: str, spot: int, situation: str = "kickoff") -> Line:
    return team, spot, None, None, situation


def snap(
    spot: int = 30, number: int = 2, distance: int = 8, team: str = HOME, **more: Any
) -> ev.Snap:
    values: dict[str, Any] = {"period": 1, "clock": 700} | more
    return ev.Snap(possession=team, spot=spot, down=number, distance=distance, **values)


def rush(end: int, start: int = 30, team: str = HOME, **more: Any) -> ev.Run:
    return ev.Run(team=team, kind="rush", start_yard=start, end_yard=end, **more)


def back(start: int, end: int, team: str = AWAY, **more: Any) -> ev.Run:
    return ev.Run(team=team, kind="return", start_yard=start, end_yard=end, **more)


def caught(at: int, start: int = 30, **more: Any) -> ev.Pass:
    return ev.Pass(team=HOME, result="complete", throw_yard=start, reception_yard=at, **more)


def flag(team: str, foul: str, yards: int, outcome: Any = None, **more: Any) -> ev.Penalty:
    return ev.Penalty(team=team, foul=foul, yards=yards, outcome=outcome, **more)


def kick(
    kind: Any, result: Any, start: int, distance: int | None = None, team: str = HOME
) -> ev.Kick:
    return ev.Kick(team=team, kind=kind, result=result, start_yard=start, distance=distance)


def kickoff(team: str = HOME, spot: int = 35, **more: Any) -> ev.Snap:
    values: dict[str, Any] = {"period": 1, "clock": 900, "situation": "kickoff"} | more
    return ev.Snap(possession=team, spot=spot, **values)


def a_try(spot: int = 85, team: str = HOME) -> ev.Snap:
    return ev.Snap(possession=team, spot=spot, period=1, clock=690, situation="try")


def begins(period: int) -> ev.Period:
    return ev.Period(period=period, phase="start")


def ends(period: int) -> ev.Period:
    return ev.Period(period=period, phase="end")


INCOMPLETE = ev.Pass(team=HOME, result="incomplete", throw_yard=30, reception_yard=50)
PICK = ev.Pass(team=HOME, result="intercepted", throw_yard=30, reception_yard=60)
SCORE = rush(100, 95, is_touchdown=True)
GOAL_LINE = snap(95, 1, 5)
GOOD = kick("extra_point", "good", 85)
STARTED = ev.GameStarted(home=HOME, away=AWAY)
