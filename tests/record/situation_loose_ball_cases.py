"""Cases of fumbles and kicks that are recovered: who may advance them, whose ball it is.

Each name begins with the article that it rests on.
"""

from __future__ import annotations

from typing import Any

from app.record import events as ev
from tests.record.situation_plays import (
    AWAY,
    HOME,
    PICK,
    Case,
    back,
    down,
    first,
    kick,
    kickoff,
    rush,
    snap,
)

FOURTH = snap(24, 4, 3)
FUMBLED = (rush(25, 24, player="sf-25"), ev.Fumble(team=HOME, player="sf-25", yard=25))


def lost_out(out_yard: int | None, yard: int = 25, team: str = HOME) -> tuple[ev.Body, ...]:
    """A run from the 24 and a fumble that goes out of bounds."""
    return (
        rush(yard, 24, player="sf-25"),
        ev.Fumble(team=team, player="sf-25", yard=yard, out_of_bounds=True, out_yard=out_yard),
    )


def taken(yard: int, player: str | None = "sf-85", team: str = HOME, **more: Any) -> ev.Recovery:
    return ev.Recovery(team=team, player=player, yard=yard, **more)


def run_on(start: int, end: int, player: str = "sf-85", team: str = HOME, **more: Any) -> ev.Run:
    return ev.Run(
        team=team, player=player, kind="after_recovery", start_yard=start, end_yard=end, **more
    )


LOOSE_BALL_CASES: dict[str, Case] = {
    # Fourth down
    "NFL 8-7-5: fourth down, a team-mate recovers ahead": Case(
        (FOURTH, *FUMBLED, taken(31)), first(AWAY, 75), check=True
    ),
    "NFL 8-7-5: fourth down, a team-mate recovers and runs on": Case(
        (FOURTH, *FUMBLED, taken(25), run_on(25, 40)), first(AWAY, 75), check=True
    ),
    "NFL 8-7-5: fourth down, a team-mate recovers behind": Case(
        (FOURTH, *FUMBLED, taken(21)), first(AWAY, 79), check=True
    ),
    "NFL 8-7-5: fourth down, the fumbler himself recovers ahead": Case(
        (FOURTH, *FUMBLED, taken(29, "sf-25")), first(HOME, 29)
    ),
    "NFL 8-7-5: fourth down, the defence advances": Case(
        (FOURTH, *FUMBLED, taken(72, "dal-54", AWAY), run_on(72, 80, "dal-54", AWAY)),
        first(AWAY, 80),
    ),
    "NFL 8-7-5: fourth down, beyond the line to gain when it was lost": Case(
        (
            FOURTH,
            rush(33, 24, player="sf-25"),
            ev.Fumble(team=HOME, player="sf-25", yard=33),
            taken(39),
        ),
        first(HOME, 33),
    ),
    "NFL 8-7-5: on third down a team-mate's recovery counts": Case(
        (snap(24, 3, 3), *FUMBLED, taken(31)), first(HOME, 31)
    ),
    "NFL 8-7-5: nobody knows who recovered on fourth down": Case(
        (FOURTH, *FUMBLED, taken(31, None)), first(AWAY, 75), check=True
    ),
    "NCAA 7-2-2-a: fourth down, a team-mate recovers ahead": Case(
        (FOURTH, *FUMBLED, taken(31)), first(AWAY, 75), check=True, competition="ncaa"
    ),
    "NFHS 2-18: fourth down, a team-mate may advance": Case(
        (FOURTH, *FUMBLED, taken(31)), first(HOME, 31), competition="nfhs"
    ),
    # What was noted of a recovery says where the ball is
    "a blocked field goal, recovered where it was kicked": Case(
        (snap(62, 4, 9), kick("field_goal", "blocked", 62), taken(45, "dal-54", AWAY)),
        first(AWAY, 45),
    ),
    "a blocked field goal, recovered where it was kicked and returned": Case(
        (
            snap(62, 4, 9),
            kick("field_goal", "blocked", 62),
            taken(45, "dal-54", AWAY),
            run_on(45, 65, "dal-54", AWAY),
        ),
        first(AWAY, 65),
    ),
    "a blocked field goal, recovered at the line, as it is proposed": Case(
        (snap(62, 4, 9), kick("field_goal", "blocked", 62), taken(38, "dal-54", AWAY)),
        first(AWAY, 38),
        check=True,
    ),
    "a fumble recovered where it was lost, and returned": Case(
        (snap(24, 2, 8), *FUMBLED, taken(75, "dal-54", AWAY), run_on(75, 80, "dal-54", AWAY)),
        first(AWAY, 80),
    ),
    # Out of bounds
    "NFL 8-7-3: a fumble out of bounds ahead of its spot": Case(
        (snap(24, 2, 8), *lost_out(31)), down(HOME, 25, 3, 7)
    ),
    "NFL 8-7-3: a fumble out of bounds behind its spot": Case(
        (snap(24, 2, 8), *lost_out(19)), down(HOME, 19, 3, 13)
    ),
    "NFL 8-7-3: a fumble out of bounds beyond the line to gain, lost short of it": Case(
        (FOURTH, *lost_out(40)), first(AWAY, 75), check=True
    ),
    "NFL 8-7-3: a fumble out of bounds, nobody noted where": Case(
        (snap(24, 2, 8), *lost_out(None)), down(HOME, 25, 3, 7), check=True
    ),
    "NFL 8-7-3: a fumble through the far end zone, lost before it": Case(
        (snap(90, 1, 10), rush(97, 90), *lost_out(100, 97)[1:]), first(AWAY, 20)
    ),
    "NFL 8-7-3: a fumble that rolls out behind its own goal line": Case(
        (snap(4, 1, 10), rush(3, 4), *lost_out(0, 3)[1:]),
        (HOME, 20, None, None, "free_kick"),
        check=True,
    ),
    "NCAA 7-2-4-b: a fumble out of bounds ahead of its spot": Case(
        (snap(24, 2, 8), *lost_out(31)), down(HOME, 25, 3, 7), competition="ncaa"
    ),
    "NFHS 4-3-1 until 2024: a fumble out of bounds ahead of its spot": Case(
        (snap(24, 2, 8), *lost_out(31)), down(HOME, 31, 3, 1), competition="nfhs", season=2024
    ),
    "NFHS 4-3-1 exception since 2025: a fumble out of bounds ahead of its spot": Case(
        (snap(24, 2, 8), *lost_out(31)), down(HOME, 25, 3, 7), competition="nfhs", season=2025
    ),
    # After the two-minute warning
    "NFL 8-7-6: after the warning, a team-mate recovers ahead": Case(
        (snap(24, 2, 3, period=2, clock=120), *FUMBLED, taken(31)), down(HOME, 25, 3, 2)
    ),
    "NFL 8-7-6: after the warning of the game, run on": Case(
        (snap(24, 2, 3, period=4, clock=9), *FUMBLED, taken(25), run_on(25, 60)),
        down(HOME, 25, 3, 2),
        check=True,
    ),
    "NFL 8-7-6: before the warning it counts": Case(
        (snap(24, 2, 3, period=2, clock=121), *FUMBLED, taken(31)), first(HOME, 31)
    ),
    "NFL 8-7-6: in the third quarter it counts": Case(
        (snap(24, 2, 3, period=3, clock=30), *FUMBLED, taken(31)), first(HOME, 31)
    ),
    "NFL 8-7-6: late in overtime": Case(
        (snap(24, 2, 3, period=5, clock=60), *FUMBLED, taken(31)), down(HOME, 25, 3, 2)
    ),
    "NFL 8-7-6: in the first overtime of the play-offs it counts": Case(
        (snap(24, 2, 3, period=5, clock=60), *FUMBLED, taken(31)),
        first(HOME, 31),
        season_type="POST",
    ),
    "NFL 8-7-6: late in the second overtime of the play-offs": Case(
        (snap(24, 2, 3, period=6, clock=60), *FUMBLED, taken(31)),
        down(HOME, 25, 3, 2),
        season_type="POST",
    ),
    "NFL 8-7-6: the interceptors too": Case(
        (
            snap(30, 2, 8, period=4, clock=40),
            PICK,
            ev.Interception(team=AWAY, player="dal-24", yard=40),
            back(40, 45, player="dal-24"),
            ev.Fumble(team=AWAY, player="dal-24", yard=45),
            taken(52, "dal-31", AWAY),
        ),
        first(AWAY, 45),
    ),
    "NFL 8-7-6: the other club advances": Case(
        (
            snap(24, 2, 3, period=4, clock=40),
            *FUMBLED,
            taken(75 - 5, "dal-54", AWAY),
            run_on(70, 88, "dal-54", AWAY),
        ),
        first(AWAY, 88),
    ),
    "NCAA 7-2-2-a: no such rule in the last two minutes": Case(
        (snap(24, 2, 3, period=4, clock=40), *FUMBLED, taken(31)),
        first(HOME, 31),
        competition="ncaa",
    ),
    # Kicks
    "NFL 9-3: a blocked punt recovered behind the line by the kickers on fourth down": Case(
        (snap(30, 4, 8), kick("punt", "blocked", 30), taken(22, "sf-4")),
        first(AWAY, 78),
        check=True,
    ),
    "NFL 9-3: a blocked punt carried to a first down by the kickers": Case(
        (snap(30, 4, 8), kick("punt", "blocked", 30), taken(22, "sf-4"), run_on(22, 41, "sf-4")),
        first(HOME, 41),
    ),
    "NFL 9-3: a field goal blocked on third down, recovered by the kickers": Case(
        (snap(70, 3, 8), kick("field_goal", "blocked", 70, 47), taken(64, "sf-4")),
        down(HOME, 64, 4, 14),
    ),
    "NFL 9-3: a blocked punt recovered by the other club": Case(
        (snap(30, 4, 8), kick("punt", "blocked", 30), taken(80, "dal-54", AWAY)), first(AWAY, 80)
    ),
    "NFL 9-3: a blocked punt taken, and fumbled back": Case(
        (
            snap(30, 4, 8),
            kick("punt", "blocked", 30),
            taken(80, "dal-54", AWAY),
            run_on(80, 84, "dal-54", AWAY),
            ev.Fumble(team=AWAY, player="dal-54", yard=84),
            taken(18, "sf-66"),
        ),
        first(HOME, 18),
    ),
    "NFL 9-4: a punt muffed out of bounds": Case(
        (
            snap(30, 4, 8),
            kick("punt", "returned", 30, 50),
            back(20, 20, player="dal-88"),
            ev.Fumble(team=AWAY, player="dal-88", yard=24, out_of_bounds=True),
        ),
        first(AWAY, 24),
    ),
    "NFL 11-6-1: a punt muffed out of the end zone": Case(
        (
            snap(45, 4, 8),
            kick("punt", "returned", 45, 52),
            back(3, 3, player="dal-88"),
            ev.Fumble(team=AWAY, player="dal-88", yard=0, out_of_bounds=True),
        ),
        first(AWAY, 20),
    ),
    (
        "NFL 9-1: a field goal that was not kicked, fallen on by the holder's club: the down counts"
    ): Case(
        (
            snap(80, 3, 5),
            kick("field_goal", "aborted", 80),
            ev.Fumble(team=HOME, player="sf-4", yard=73),
            taken(72, "sf-4"),
        ),
        down(HOME, 72, 4, 13),
    ),
    "NFL 9-1: the same on fourth down": Case(
        (
            snap(80, 4, 5),
            kick("field_goal", "aborted", 80),
            ev.Fumble(team=HOME, player="sf-4", yard=73),
            taken(72, "sf-4"),
        ),
        first(AWAY, 28),
        check=True,
    ),
    "NFL 9-1: recovered by the other club": Case(
        (
            snap(80, 4, 5),
            kick("field_goal", "aborted", 80),
            ev.Fumble(team=HOME, player="sf-4", yard=73),
            taken(28, "dal-54", AWAY),
        ),
        first(AWAY, 28),
    ),
    "NFL 6-2: the kickers may not advance an onside kick": Case(
        (kickoff(), kick("onside", "recovered", 35, 12), taken(49), run_on(49, 70)), first(HOME, 49)
    ),
    "NFL 9-2: nor a punt that the other club touched": Case(
        (snap(30, 4, 8), kick("punt", "recovered", 30, 45), taken(77), run_on(77, 90)),
        first(HOME, 77),
    ),
    "NFL 9-2: a fumble of the return may be advanced": Case(
        (
            snap(30, 4, 8),
            kick("punt", "returned", 30, 45),
            back(25, 32, player="dal-88"),
            ev.Fumble(team=AWAY, player="dal-88", yard=32),
            taken(66),
            run_on(66, 80),
        ),
        first(HOME, 80),
    ),
}
