"""Cases of rules that changed.

The same play in the season before and after, by competition, since 2019 as well.

All of it is made up. Each name begins with the rule or the season that it rests on.
"""

from __future__ import annotations

from typing import Any

from app.record import events as ev
from tests.record.situation_plays import (
    AWAY,
    GOAL_LINE,
    HOME,
    SCORE,
    STARTED,
    Case,
    back,
    begins,
    first,
    flag,
    kickoff,
    kicks,
    snap,
)

SAFETY_KICK = kickoff(spot=20, situation="free_kick")


def landing(
    result: Any, distance: int | None, landed: Any = None, kind: Any = "kickoff", start: int = 35
) -> ev.Kick:
    return ev.Kick(
        team=HOME, kind=kind, result=result, start_yard=start, distance=distance, landed=landed
    )


TOUCHBACK = landing("touchback", 65)
FROM_ZONE = landing("touchback", 65, "landing_zone")
SHORT = landing("downed", 44, "short")
SHORT_FOUL = flag(HOME, "Kickoff Short of Landing Zone", 0, "downfield")
FAIR_CATCH = landing("fair_catch", 58)

SEASON_CASES: dict[str, Case] = {
    # NFL rule 6: the touchback of a kickoff
    "NFL 2020: a touchback": Case((kickoff(), TOUCHBACK), first(AWAY, 25), season=2020),
    "NFL 2023: a touchback": Case((kickoff(), TOUCHBACK), first(AWAY, 25), season=2023),
    "NFL 2024: a touchback of a kick into the end zone": Case(
        (kickoff(), TOUCHBACK), first(AWAY, 30), season=2024
    ),
    "NFL 2025: a touchback of a kick into the end zone": Case(
        (kickoff(), TOUCHBACK), first(AWAY, 35), season=2025
    ),
    "NFL 2026: a touchback of a kick into the end zone": Case(
        (kickoff(), landing("touchback", 65, "end_zone")), first(AWAY, 35), season=2026
    ),
    "NFL 2024: from the landing zone into the end zone": Case(
        (kickoff(), FROM_ZONE), first(AWAY, 20), season=2024
    ),
    "NFL 2025: from the landing zone into the end zone": Case(
        (kickoff(), FROM_ZONE), first(AWAY, 20), season=2025
    ),
    "NFL 2025: from the landing zone, caught and downed in the end zone": Case(
        (kickoff(), landing("returned", 67, "landing_zone"), back(-2, 0)),
        first(AWAY, 20),
        check=True,
        season=2025,
    ),
    "NFL 2024: short of the landing zone": Case((kickoff(), SHORT), first(AWAY, 40), season=2024),
    "NFL 2025: short of the landing zone, with the foul": Case(
        (kickoff(), SHORT, SHORT_FOUL),
        first(AWAY, 40),
        check=True,
        season=2025,
        choices=[
            (AWAY, "accept", first(AWAY, 40), False),
            (AWAY, "decline", first(AWAY, 40), False),
        ],
    ),
    "NFL 2025: downed at the 22, nobody said that it was short": Case(
        (kickoff(), landing("downed", 43)), first(AWAY, 40), season=2025
    ),
    "NFL 2025: a kickoff out of bounds": Case(
        (kickoff(), landing("out_of_bounds", 60)), first(AWAY, 40), season=2025
    ),
    "NFL 2025: short after a penalty, from the 30": Case(
        (kickoff(spot=30), landing("downed", 44, "short", start=30)), first(AWAY, 45), season=2025
    ),
    "NFL 2025: returned out of the landing zone": Case(
        (kickoff(), landing("returned", 55, "landing_zone"), back(10, 29)),
        first(AWAY, 29),
        season=2025,
    ),
    "NFL 2025: an onside kick is not short": Case(
        (kickoff(), landing("recovered", 12, kind="onside"), ev.Recovery(team=HOME, yard=49)),
        first(HOME, 49),
        season=2025,
    ),
    "NFL 2024: a safety kick short of the landing zone is placed 30 yards on": Case(
        (SAFETY_KICK, landing("downed", 50, "short", "free_kick", 20)), first(AWAY, 50), season=2024
    ),
    "NFL 6-2: a safety kick out of bounds": Case(
        (SAFETY_KICK, landing("out_of_bounds", 50, None, "free_kick", 20)),
        first(AWAY, 50),
        season=2019,
    ),
    "NFL 2019: downed at the 22 is the 22": Case(
        (kickoff(), landing("downed", 43)), first(AWAY, 22)
    ),
    # The fair catch of a kickoff
    "NFL 2022: a fair catch at the 7": Case((kickoff(), FAIR_CATCH), first(AWAY, 7), season=2022),
    "NFL 2023: a fair catch at the 7 is a touchback": Case(
        (kickoff(), FAIR_CATCH), first(AWAY, 25), season=2023
    ),
    "NFL 2023: a fair catch at the 30": Case(
        (kickoff(), landing("fair_catch", 35)), first(AWAY, 30), season=2023
    ),
    "NCAA 2017: a fair catch at the 7": Case(
        (kickoff(), FAIR_CATCH), first(AWAY, 7), season=2017, competition="ncaa"
    ),
    "NCAA 2018, 6-5-1: a fair catch at the 7 is a touchback": Case(
        (kickoff(), FAIR_CATCH), first(AWAY, 25), season=2018, competition="ncaa"
    ),
    "NCAA 2026: a touchback": Case(
        (kickoff(), TOUCHBACK), first(AWAY, 25), season=2026, competition="ncaa"
    ),
    "NCAA 6-2-1: a kickoff out of bounds": Case(
        (kickoff(), landing("out_of_bounds", 60)), first(AWAY, 35), season=2026, competition="ncaa"
    ),
    "NFHS 8-5-3: a kickoff into the end zone": Case(
        (kickoff(spot=40), landing("touchback", 60, start=40)),
        first(AWAY, 20),
        season=2026,
        competition="nfhs",
    ),
    "NFHS 8-5-3: nor is one brought out of it": Case(
        (kickoff(spot=40), landing("returned", 62, start=40), back(-2, 22)),
        first(AWAY, 20),
        season=2026,
        competition="nfhs",
    ),
    "NFHS 8-5-3: a field goal missed from the 40 is a touchback": Case(
        (snap(60, 4), landing("missed", 57, kind="field_goal", start=60)),
        first(AWAY, 20),
        season=2026,
        competition="nfhs",
    ),
    "NFHS 6-1-9: a kickoff out of bounds": Case(
        (kickoff(spot=40), landing("out_of_bounds", 50, start=40)),
        first(AWAY, 35),
        season=2026,
        competition="nfhs",
    ),
    # Touchdowns and tries
    "NFL 2020: a foul of the touchdown goes to the kickoff or the try": Case(
        (GOAL_LINE, SCORE, flag(AWAY, "Unnecessary Roughness", 15, "downfield")),
        kicks(HOME, 85, "try"),
        check=True,
        season=2020,
        choices=[
            (HOME, "try", kicks(HOME, 92, "try"), False),
            (HOME, "kickoff", kicks(HOME, 85, "try"), False),
        ],
    ),
    "NFL 2024, 14-2-3: it moves the try": Case(
        (GOAL_LINE, SCORE, flag(AWAY, "Unnecessary Roughness", 15, "downfield")),
        kicks(HOME, 92, "try"),
        check=True,
        season=2024,
    ),
    "NFL 2025: the opening kickoff": Case((STARTED,), kicks(HOME, 35), check=True, season=2025),
    # Overtime
    "NFL 2024, 16-1-3: a touchdown at once wins": Case(
        (
            kickoff(),
            begins(5),
            kickoff(AWAY, period=5, clock=600),
            snap(95, 1, 5, period=5, clock=500),
            SCORE,
        ),
        kicks(HOME, 85, "try"),
        check=True,
        over=True,
        season=2024,
    ),
    "NFL 2025, 16-1-3: the other club has the ball too": Case(
        (
            kickoff(),
            begins(5),
            kickoff(AWAY, period=5, clock=600),
            snap(95, 1, 5, period=5, clock=500),
            SCORE,
        ),
        kicks(HOME, 85, "try"),
        check=True,
        season=2025,
        choices=[
            (HOME, "one", kicks(HOME, 85, "try"), False),
            (HOME, "two", kicks(HOME, 98, "try"), False),
        ],
    ),
}
