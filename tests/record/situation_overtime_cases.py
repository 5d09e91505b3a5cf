"""Next snaps at the end of regulation and in overtime, by competition and season."""

from __future__ import annotations

from collections.abc import Sequence

from app.record import events as ev
from tests.record.situation_plays import (
    AWAY,
    HOME,
    PICK,
    Case,
    back,
    begins,
    down,
    ends,
    first,
    flag,
    kick,
    kickoff,
    kicks,
    rush,
    snap,
)


def at(
    spot: int, number: int = 1, distance: int = 10, team: str = HOME, period: int = 5
) -> ev.Snap:
    return snap(spot, number, distance, team, period=period, clock=300)


def goal(team: str, period: int = 5, spot: int = 75) -> Sequence[ev.Body]:
    """A field goal on fourth down."""
    return at(spot, 4, 7, team, period), kick("field_goal", "good", spot, 42, team)


def miss(team: str, spot: int = 75, period: int = 5) -> Sequence[ev.Body]:
    return at(spot, 4, 7, team, period), kick("field_goal", "missed", spot, 42, team)


def touchdown(team: str, period: int = 5) -> Sequence[ev.Body]:
    return at(95, 1, 5, team, period), rush(100, 95, team, is_touchdown=True)


def tried(team: str, spot: int = 85, period: int = 5, good: bool = True) -> Sequence[ev.Body]:
    """The try of a touchdown: a kick, or a run for two from the spot of those."""
    at_try = ev.Snap(possession=team, spot=spot, period=period, clock=300, situation="try")
    if spot == 85:
        return at_try, kick("extra_point", "good" if good else "missed", 85, None, team)
    return at_try, ev.Conversion(team=team, kind="rush", good=good)


def received(team: str) -> Sequence[ev.Body]:
    """A kickoff of overtime to a club, and its touchback."""
    kicks_off = AWAY if team == HOME else HOME
    return kickoff(kicks_off, period=5, clock=600), kick("kickoff", "touchback", 35, 65, kicks_off)


LEVEL = (kickoff(), snap(), rush(34), ends(4))
TO_HOME = (*LEVEL, begins(5), *received(HOME))
SERIES = (*LEVEL, begins(5))

OVERTIME_CASES: dict[str, Case] = {
    # The end of regulation
    "the last quarter ends with a lead": Case(
        (*goal(HOME, period=4), ends(4)), kicks(HOME, 35), check=True, over=True
    ),
    "the last quarter ends level": Case(LEVEL, kicks(HOME, 35), check=True),
    "a touchdown as time runs out may still be won by its try": Case(
        (
            *goal(AWAY, period=4),
            *goal(AWAY, period=4),
            snap(95, 1, 5, period=4),
            rush(100, 95, is_touchdown=True),
            ends(4),
        ),
        kicks(HOME, 85, "try"),
        check=True,
        choices=[
            (HOME, "one", kicks(HOME, 85, "try"), False),
            (HOME, "two", kicks(HOME, 98, "try"), False),
        ],
    ),
    "a touchdown as time runs out that no try changes": Case(
        (*goal(AWAY, period=4), *touchdown(HOME, period=4), ends(4)),
        kicks(HOME, 85, "try"),
        check=True,
        over=True,
    ),
    # Sudden death
    "a field goal at once wins in 2011": Case(
        (*TO_HOME, *goal(HOME)), kicks(HOME, 35), check=True, over=True, season=2011
    ),
    "a touchdown wins in 2011, its try is not played": Case(
        (*TO_HOME, *touchdown(HOME)), kicks(HOME, 98, "try"), check=True, over=True, season=2011
    ),
    "a field goal at once wins no more in the play-offs of 2011": Case(
        (*TO_HOME, *goal(HOME)), kicks(HOME, 35), season=2011, season_type="POST"
    ),
    # A field goal at once wins no more
    "overtime begins with a kickoff": Case((*LEVEL, begins(5)), kicks(HOME, 35), check=True),
    "a kickoff of overtime that only began": Case(
        (*LEVEL, begins(5), kickoff(period=5)), kicks(HOME, 35)
    ),
    "a field goal at once": Case((*TO_HOME, *goal(HOME)), kicks(HOME, 35)),
    "and the other club stopped on downs": Case(
        (*TO_HOME, *goal(HOME), *received(AWAY), at(60, 4, 5, AWAY), rush(61, 60, AWAY)),
        first(HOME, 39),
        check=True,
        over=True,
    ),
    "and the other club on its way": Case(
        (*TO_HOME, *goal(HOME), *received(AWAY), at(25, 1, 10, AWAY), rush(31, 25, AWAY)),
        down(AWAY, 31, 2, 4),
    ),
    "and its pass intercepted": Case(
        (
            *(*TO_HOME, *goal(HOME), *received(AWAY), at(40, 2, 8, AWAY)),
            ev.Pass(team=AWAY, result="intercepted", throw_yard=40, reception_yard=60),
            ev.Interception(team=HOME, yard=40),
        ),
        first(HOME, 40),
        check=True,
        over=True,
    ),
    "and the kickoff after it lost by the receivers": Case(
        (
            *(
                *TO_HOME,
                *goal(HOME),
                kickoff(HOME, period=5),
                kick("kickoff", "returned", 35, 60),
                back(5, 20),
            ),
            *(ev.Fumble(team=AWAY, yard=20), ev.Recovery(team=HOME, yard=79)),
        ),
        first(HOME, 79),
        check=True,
        over=True,
    ),
    "and a field goal of the other club": Case(
        (*TO_HOME, *goal(HOME), *received(AWAY), *goal(AWAY)), kicks(AWAY, 35)
    ),
    "and the next score wins": Case(
        (*TO_HOME, *goal(HOME), *received(AWAY), *goal(AWAY), *received(HOME), *goal(HOME)),
        kicks(HOME, 35),
        check=True,
        over=True,
    ),
    "a touchdown at once wins": Case(
        (*TO_HOME, *touchdown(HOME)), kicks(HOME, 85, "try"), check=True, over=True
    ),
    "a touchdown at once that holding wipes out": Case(
        (*TO_HOME, *touchdown(HOME), flag(HOME, "Offensive Holding", 10, "nullify")),
        down(HOME, 85, 1, 15),
        check=True,
        choices=[
            (AWAY, "accept", down(HOME, 85, 1, 15), True),
            (AWAY, "decline", kicks(HOME, 85, "try"), False),
        ],
    ),
    "a safety of the receivers at once": Case(
        (*TO_HOME, at(5), ev.Sack(team=HOME, start_yard=5, end_yard=0), ev.Safety(team=AWAY)),
        kicks(HOME, 20, "free_kick"),
        check=True,
        over=True,
    ),
    "an interception brought back for a touchdown": Case(
        (
            *TO_HOME,
            at(30),
            PICK,
            ev.Interception(team=AWAY, yard=40),
            back(40, 100, is_touchdown=True),
        ),
        kicks(AWAY, 85, "try"),
        check=True,
        over=True,
    ),
    "a punt, then the first score": Case(
        (*TO_HOME, at(30, 4, 8), kick("punt", "fair_catch", 30, 45), *goal(AWAY)),
        kicks(AWAY, 35),
        check=True,
        over=True,
    ),
    "time runs out level in the regular season": Case(
        (*TO_HOME, at(30), rush(34), ends(5)), down(HOME, 34, 2, 6), check=True, over=True
    ),
    "time runs out on the other club's drive": Case(
        (*TO_HOME, *goal(HOME), *received(AWAY), at(30, team=AWAY), rush(34, 30, AWAY), ends(5)),
        down(AWAY, 34, 2, 6),
        check=True,
        over=True,
    ),
    "a period of the play-offs goes over into the next": Case(
        (*TO_HOME, at(30), rush(34), ends(5), begins(6)), down(HOME, 34, 2, 6), season_type="POST"
    ),
    "the third period of the play-offs begins with a kickoff": Case(
        (
            *TO_HOME,
            at(30),
            rush(34),
            ends(5),
            begins(6),
            at(34, period=6),
            rush(36, 34),
            ends(6),
            begins(7),
        ),
        kicks(HOME, 35),
        check=True,
        season_type="POST",
    ),
    # Both clubs have the ball
    "a touchdown at once in the play-offs of 2022": Case(
        (*TO_HOME, *touchdown(HOME), *tried(HOME)), kicks(HOME, 35), season=2022, season_type="POST"
    ),
    "a touchdown at once in the regular season of 2022": Case(
        (*TO_HOME, *touchdown(HOME)), kicks(HOME, 85, "try"), check=True, over=True, season=2022
    ),
    "a touchdown at once in the regular season of 2025": Case(
        (*TO_HOME, *touchdown(HOME), *tried(HOME)), kicks(HOME, 35), season=2025
    ),
    "answered, its try to come": Case(
        (*TO_HOME, *touchdown(HOME), *tried(HOME), *received(AWAY), *touchdown(AWAY)),
        kicks(AWAY, 85, "try"),
        check=True,
        season=2025,
        choices=[
            (AWAY, "one", kicks(AWAY, 85, "try"), False),
            (AWAY, "two", kicks(AWAY, 98, "try"), False),
        ],
    ),
    "answered, with two points": Case(
        (
            *TO_HOME,
            *touchdown(HOME),
            *tried(HOME),
            *received(AWAY),
            *touchdown(AWAY),
            *tried(AWAY, 98),
        ),
        kicks(AWAY, 35),
        check=True,
        over=True,
        season=2025,
    ),
    "answered, without the two points": Case(
        (
            *TO_HOME,
            *touchdown(HOME),
            *tried(HOME),
            *received(AWAY),
            *touchdown(AWAY),
            *tried(AWAY, 98, good=False),
        ),
        kicks(AWAY, 35),
        check=True,
        over=True,
        season=2025,
    ),
    # College: series from the 25
    "extra periods at college begin at the 25": Case(
        SERIES, first(HOME, 75), check=True, competition="ncaa"
    ),
    "the first series goes on": Case(
        (*SERIES, at(75, team=AWAY), rush(79, 75, AWAY)), down(AWAY, 79, 2, 6), competition="ncaa"
    ),
    "after the first series": Case(
        (*SERIES, *goal(AWAY)), first(HOME, 75), check=True, competition="ncaa"
    ),
    "after a first series without points": Case(
        (*SERIES, *miss(AWAY)), first(HOME, 75), check=True, competition="ncaa"
    ),
    "a first series brought back for a touchdown": Case(
        (*SERIES, at(75), PICK, back(40, 100, is_touchdown=True)),
        kicks(AWAY, 97, "try"),
        check=True,
        over=True,
        competition="ncaa",
    ),
    "the second series falls short": Case(
        (*SERIES, *goal(AWAY), *miss(HOME)),
        first(AWAY, 25),
        check=True,
        over=True,
        competition="ncaa",
    ),
    "the second series wins by a touchdown": Case(
        (*SERIES, *goal(AWAY), *touchdown(HOME)),
        kicks(HOME, 97, "try"),
        check=True,
        over=True,
        competition="ncaa",
    ),
    "level after both series, the second club begins": Case(
        (*SERIES, *goal(AWAY), *goal(HOME)), first(HOME, 75), check=True, competition="ncaa"
    ),
    "and so when the period is entered": Case(
        (*SERIES, *goal(AWAY), *goal(HOME), ends(5), begins(6)),
        first(HOME, 75),
        check=True,
        competition="ncaa",
    ),
    "a try for two in the third extra period of 2018": Case(
        (*SERIES, *touchdown(HOME, period=7)),
        kicks(HOME, 97, "try"),
        competition="ncaa",
        season=2018,
    ),
    "tries alone from the third extra period of 2021": Case(
        (*SERIES, *goal(AWAY, 6), *goal(HOME, 6)),
        kicks(HOME, 97, "try"),
        check=True,
        competition="ncaa",
        season=2021,
    ),
    "the other club's try": Case(
        (*SERIES, *tried(HOME, 97, 7)),
        kicks(AWAY, 97, "try"),
        check=True,
        competition="ncaa",
        season=2021,
    ),
    "a try that the other club did not match": Case(
        (*SERIES, *tried(HOME, 97, 7), *tried(AWAY, 97, 7, good=False)),
        kicks(AWAY, 35),
        check=True,
        over=True,
        competition="ncaa",
        season=2021,
    ),
    # High school: series from the 10
    "extra periods at high school begin at the 10": Case(
        SERIES, first(HOME, 90), check=True, competition="nfhs"
    ),
    "after a first series at high school": Case(
        (*SERIES, *goal(AWAY, spot=90)), first(HOME, 90), check=True, competition="nfhs"
    ),
}
