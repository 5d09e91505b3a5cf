"""Cases of plays that end behind a goal line: safety, touchback, or the ball brought out.

Each name begins with the article that it rests on.

Articles: NFL Official Playing Rules, NCAA Football Rules and Interpretations, NFHS Football Rules
Book. A safety that nobody has recorded yet is proposed as the free kick after it, and always
marked.
"""

from __future__ import annotations

from typing import Any

from app.record import events as ev
from tests.record.situation_plays import (
    AWAY,
    HOME,
    Case,
    back,
    caught,
    down,
    first,
    flag,
    kick,
    kickoff,
    kicks,
    rush,
    snap,
)

NEAR = snap(3, 2, 8)
SACKED = ev.Sack(team=HOME, start_yard=3, end_yard=0)
THROWN = ev.Pass(team=HOME, result="incomplete", throw_yard=3)
PUNT = snap(3, 4, 8)
FREE_KICK = kicks(HOME, 20, "free_kick")


def safety(*bodies: ev.Body, team: str = HOME, **more: Any) -> Case:
    """A play that ends as a safety against `team`: recorded or not, the free kick follows."""
    return Case(bodies, kicks(team, 20, "free_kick"), check=True, **more)


def picked(at: int) -> tuple[ev.Body, ...]:
    """An interception so far from the interceptors' own goal line."""
    thrown = ev.Pass(
        team=HOME, result="intercepted", throw_yard=60, reception_yard=100 - max(at, 0)
    )
    return snap(60, 1, 10), thrown, ev.Interception(team=AWAY, player="dal-24", yard=at)


def lost(yard: int, team: str = HOME, player: str | None = "sf-25", **more: Any) -> ev.Fumble:
    return ev.Fumble(team=team, player=player, yard=yard, **more)


END_ZONE_CASES: dict[str, Case] = {
    # The club with the ball is stopped behind its own goal line.
    "NFL 11-5-1: a sack in the end zone": safety(NEAR, SACKED),
    "NFL 11-5-1: a run stopped in the end zone": safety(NEAR, rush(0, 3)),
    "NFL 11-5-1: a kneel in the end zone": safety(
        NEAR, ev.Run(team=HOME, kind="kneel", start_yard=3, end_yard=0)
    ),
    "NFL 11-5-1: on fourth down too": safety(PUNT, rush(0, 3)),
    "NFL 11-5-1: a catch and a run back into the end zone": safety(
        NEAR, caught(2, 3), ev.Run(team=HOME, kind="after_catch", start_yard=2, end_yard=0)
    ),
    "NFL 11-5-1: a safety that is recorded": Case((NEAR, SACKED, ev.Safety(team=AWAY)), FREE_KICK),
    "NCAA 8-5-1: a sack in the end zone": safety(NEAR, SACKED, competition="ncaa"),
    "NFHS 8-5-2: a sack in the end zone": safety(NEAR, SACKED, competition="nfhs"),
    "NFL 11-5-1: forward progress to the 1 is none": Case((NEAR, rush(1, 3)), down(HOME, 1, 3, 10)),
    # Loose balls behind the goal line of the club that lost them.
    "NFL 8-7-3: a fumble in the end zone, out of bounds": safety(
        NEAR, ev.Sack(team=HOME, start_yard=3, end_yard=0), lost(0, out_of_bounds=True)
    ),
    "NFL 11-5-1: a fumble in the end zone, fallen on by the same club": safety(
        NEAR, SACKED, lost(0), ev.Recovery(team=HOME, player="sf-66", yard=0)
    ),
    "NFL 11-5-1: a fumble at the 3, fallen on in the end zone": safety(
        NEAR, rush(3, 3), lost(3), ev.Recovery(team=HOME, player="sf-66", yard=0)
    ),
    "NFL 11-2-1: a fumble in the end zone, recovered by the defence": Case(
        (NEAR, SACKED, lost(0), ev.Recovery(team=AWAY, yard=100, is_touchdown=True)),
        kicks(AWAY, 85, "try"),
        check=True,
    ),
    "NFL 8-7-3: a fumble in the end zone, brought out": Case(
        (
            NEAR,
            SACKED,
            lost(0),
            ev.Recovery(team=HOME, player="sf-25", yard=0),
            ev.Run(team=HOME, player="sf-25", kind="after_recovery", start_yard=0, end_yard=2),
        ),
        down(HOME, 2, 3, 9),
    ),
    # Fouls enforced from behind the goal line of the club with the ball.
    "NFL 11-5-1: holding in the end zone": Case(
        (NEAR, THROWN, flag(HOME, "Offensive Holding", 0, "downfield", enforcement_yard=0)),
        FREE_KICK,
        check=True,
        choices=[(AWAY, "accept", FREE_KICK, False), (AWAY, "decline", down(HOME, 3, 3, 8), False)],
    ),
    "NFL 11-5-1: holding in the end zone, the pass struck out": Case(
        (NEAR, flag(HOME, "Offensive Holding", 10, "nullify", enforcement_yard=0)),
        FREE_KICK,
        check=True,
    ),
    "NFL 11-5-1: holding in the end zone, the safety recorded": Case(
        (
            NEAR,
            THROWN,
            flag(HOME, "Offensive Holding", 0, "downfield", enforcement_yard=0),
            ev.Safety(team=AWAY),
        ),
        FREE_KICK,
        check=True,
        choices=[(AWAY, "accept", FREE_KICK, False), (AWAY, "decline", down(HOME, 3, 3, 8), False)],
    ),
    "NFL 11-5-1: holding in the end zone on a long gain": Case(
        (NEAR, caught(45, 3), flag(HOME, "Offensive Holding", 0, "downfield", enforcement_yard=0)),
        FREE_KICK,
        check=True,
        choices=[(AWAY, "accept", FREE_KICK, False), (AWAY, "decline", first(HOME, 45), False)],
    ),
    "NFL 8-2-1: grounding from the end zone": Case(
        (NEAR, THROWN, flag(HOME, "Intentional Grounding", 0, "change_down", enforcement_yard=0)),
        FREE_KICK,
        check=True,
        choices=[(AWAY, "accept", FREE_KICK, False), (AWAY, "decline", down(HOME, 3, 3, 8), False)],
    ),
    "NFL 11-5-1: a hold in the end zone declined": Case(
        (
            NEAR,
            THROWN,
            flag(HOME, "Offensive Holding", 0, "decline", status="declined", enforcement_yard=0),
        ),
        down(HOME, 3, 3, 8),
        choices=[(AWAY, "accept", FREE_KICK, False), (AWAY, "decline", down(HOME, 3, 3, 8), False)],
    ),
    "NFL 11-5-1: a hold in the end zone by the punters": Case(
        (
            PUNT,
            kick("punt", "fair_catch", 3, 40),
            flag(HOME, "Offensive Holding", 0, "downfield", enforcement_yard=0),
        ),
        FREE_KICK,
        check=True,
        choices=[(AWAY, "accept", FREE_KICK, False), (AWAY, "decline", first(AWAY, 57), False)],
    ),
    "NFL 11-5-1: a hold in the end zone by the returners": Case(
        (
            kickoff(),
            kick("kickoff", "returned", 35, 67),
            back(-2, 22),
            flag(AWAY, "Offensive Holding", 0, "downfield", enforcement_yard=0),
        ),
        kicks(AWAY, 20, "free_kick"),
        check=True,
        choices=[
            (HOME, "accept", kicks(AWAY, 20, "free_kick"), False),
            (HOME, "decline", first(AWAY, 22), False),
        ],
    ),
    "NCAA 8-5-1-b: holding in the end zone": Case(
        (NEAR, THROWN, flag(HOME, "Holding", 0, "downfield", enforcement_yard=0)),
        FREE_KICK,
        check=True,
        competition="ncaa",
        choices=[(AWAY, "accept", FREE_KICK, False), (AWAY, "decline", down(HOME, 3, 3, 8), False)],
    ),
    "NFHS 8-5-2-c: holding in the end zone": Case(
        (NEAR, THROWN, flag(HOME, "Holding", 0, "downfield", enforcement_yard=0)),
        FREE_KICK,
        check=True,
        competition="nfhs",
        choices=[(AWAY, "accept", FREE_KICK, False), (AWAY, "decline", down(HOME, 3, 3, 8), False)],
    ),
    "NFL 14-2-1: a false start at the 3 is half the distance, never a safety": Case(
        (NEAR, flag(HOME, "False Start", 5, "nullify")), down(HOME, 2, 2, 9), check=True
    ),
    "NFL 14-2-1: holding before the goal line is half the distance": Case(
        (NEAR, THROWN, flag(HOME, "Offensive Holding", 10, "nullify", enforcement_yard=3)),
        down(HOME, 2, 2, 9),
        check=True,
        choices=[
            (AWAY, "accept", down(HOME, 2, 2, 9), True),
            (AWAY, "decline", down(HOME, 3, 3, 8), False),
        ],
    ),
    "NFL 8-5: interference in the end zone is the 1, no safety": Case(
        (
            snap(60, 1, 10),
            ev.Pass(team=HOME, result="incomplete", throw_yard=60),
            flag(AWAY, "Defensive Pass Interference", 39, "first_down", enforcement_yard=40),
        ),
        first(HOME, 99, 1),
        check=True,
        choices=[
            (HOME, "accept", first(HOME, 99, 1), True),
            (HOME, "decline", down(HOME, 60, 2, 10), False),
        ],
    ),
    # The other club sent the ball behind the goal line: a touchback; its own runner took it there:
    # a safety.
    "NFL 11-6-1: an interception in the end zone, downed there": Case(
        (*picked(-5), back(-5, 0)), first(AWAY, 20), check=True
    ),
    "NFL 11-6-1: an interception five deep, not brought out": Case(picked(-5), first(AWAY, 20)),
    "NFL 8-2-1: an interception seven deep, brought back": Case(
        (*picked(-7), back(-7, 31)), first(AWAY, 31), check=True
    ),
    "NFL 11-5-1: an interception carried back behind the goal line": safety(
        *picked(8), back(8, 0), team=AWAY
    ),
    "NFL 11-5-1: an interception in the end zone, brought out, fumbled back in": safety(
        *picked(-2),
        back(-2, 6),
        lost(6, AWAY, "dal-24"),
        ev.Recovery(team=AWAY, player="dal-31", yard=0),
        team=AWAY,
    ),
    "NFL 11-6-1: a fumble through the end zone ahead": Case(
        (
            snap(90, 1, 10),
            rush(98, 90),
            lost(98, out_of_bounds=True),
            ev.Recovery(team=AWAY, yard=0),
        ),
        first(AWAY, 20),
        check=True,
    ),
    "NFL 11-6-1: a fumble into the end zone ahead, recovered by the defence": Case(
        (snap(90, 1, 10), rush(98, 90), lost(98), ev.Recovery(team=AWAY, yard=-3)), first(AWAY, 20)
    ),
    "NFL 11-6-1: the same, brought out": Case(
        (
            snap(90, 1, 10),
            rush(98, 90),
            lost(98),
            ev.Recovery(team=AWAY, player="dal-31", yard=-3),
            ev.Run(team=AWAY, player="dal-31", kind="after_recovery", start_yard=-3, end_yard=14),
        ),
        first(AWAY, 14),
    ),
    "NFL 11-6-1: a kickoff caught and downed in the end zone": Case(
        (kickoff(), kick("kickoff", "returned", 35, 68), back(-3, 0)), first(AWAY, 25), check=True
    ),
    "NFL 11-5-1: a kickoff caught at the 4 and carried behind the goal line": safety(
        kickoff(), kick("kickoff", "returned", 35, 61), back(4, 0), team=AWAY
    ),
    "NFL 11-6-1: a punt muffed at the 5, recovered in the end zone": Case(
        (
            snap(45, 4, 8),
            kick("punt", "returned", 45, 50),
            back(5, 5),
            lost(5, AWAY, "dal-88"),
            ev.Recovery(team=AWAY, player="dal-31", yard=0),
        ),
        first(AWAY, 20),
    ),
    "NFL 11-5-1: a punt returned, fumbled and recovered in the end zone": safety(
        snap(45, 4, 8),
        kick("punt", "returned", 45, 50),
        back(5, 9),
        lost(9, AWAY, "dal-88"),
        ev.Recovery(team=AWAY, player="dal-31", yard=0),
        team=AWAY,
    ),
    "NFL 11-6-1: a punt downed behind the goal line": Case(
        (snap(60, 4), kick("punt", "downed", 60, 40)), first(AWAY, 20)
    ),
    "NFL 11-6-1: a punt caught and downed in the end zone": Case(
        (snap(60, 4), kick("punt", "returned", 60, 42), back(-2, 0)), first(AWAY, 20), check=True
    ),
    "NFL 11-6-1: a field goal blocked into the end zone, downed there by the defence": Case(
        (
            snap(85, 4),
            kick("field_goal", "blocked", 85, 32),
            ev.Recovery(team=AWAY, player="dal-9", yard=-2),
        ),
        first(AWAY, 20),
    ),
    "NFL 11-6-1: an interception returned and fumbled through the far end zone": Case(
        (*picked(40), back(40, 98), lost(100, AWAY, "dal-24", out_of_bounds=True)), first(HOME, 20)
    ),
    "NFL 11-2-1: a kickoff recovered in the end zone by the kickers": Case(
        (
            kickoff(),
            kick("kickoff", "recovered", 35, 66),
            ev.Recovery(team=HOME, yard=100, is_touchdown=True),
        ),
        kicks(HOME, 85, "try"),
        check=True,
    ),
    "NFL 14-2: a foul after the safety moves the free kick": Case(
        (
            NEAR,
            SACKED,
            ev.Safety(team=AWAY),
            flag(AWAY, "Unsportsmanlike Conduct", 15, "downfield"),
        ),
        kicks(HOME, 35, "free_kick"),
        check=True,
        choices=[
            (HOME, "accept", kicks(HOME, 35, "free_kick"), False),
            (HOME, "decline", FREE_KICK, False),
        ],
    ),
    # Blocked kicks.
    "NFL 11-5-1: a blocked punt, fallen on in the end zone by the kickers": safety(
        PUNT, kick("punt", "blocked", 3), ev.Recovery(team=HOME, yard=0)
    ),
    "NFL 11-5-1: a blocked punt out of the end zone": Case(
        (PUNT, kick("punt", "blocked", 3), ev.Safety(team=AWAY)), FREE_KICK
    ),
    "NFL 11-2-1: a blocked punt, recovered in the end zone by the defence": Case(
        (PUNT, kick("punt", "blocked", 3), ev.Recovery(team=AWAY, yard=100, is_touchdown=True)),
        kicks(AWAY, 85, "try"),
        check=True,
    ),
    "NFL 11-3: a safety on the try, then the kickoff": Case(
        (
            ev.Snap(possession=HOME, spot=85, period=1, clock=690, situation="try"),
            ev.Safety(team=HOME, points=1),
        ),
        kicks(HOME, 35),
    ),
}
