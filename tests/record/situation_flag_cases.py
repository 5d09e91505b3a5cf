"""Cases of flags that decide whose ball it is, of more than one flag, and of flags as a half ends.

Each name begins with the article that it rests on: NFL Official Playing Rules, NCAA Football Rules
and Interpretations, NFHS Football Rules Book.
"""

from __future__ import annotations

from typing import Any

from app.record import events as ev
from tests.record.situation_plays import (
    AWAY,
    GOAL_LINE,
    HOME,
    INCOMPLETE,
    PICK,
    SCORE,
    Case,
    back,
    begins,
    caught,
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

STOLEN = (PICK, ev.Interception(team=AWAY, player="dal-24", yard=40))
FUMBLED = (
    rush(34, player="sf-25"),
    ev.Fumble(team=HOME, player="sf-25", yard=34),
    ev.Recovery(team=AWAY, player="dal-90", yard=66),
)
ROUGHED = "Roughing the Passer"
# three points ahead
LEAD = (snap(80, 4, 8, period=4, clock=300), kick("field_goal", "good", 80, 37))
LAST = snap(60, 2, 8, team=AWAY, period=4, clock=3)
FALLEN = ev.Pass(team=AWAY, result="incomplete", throw_yard=60)


def offset(team: str, foul: str) -> ev.Penalty:
    return flag(team, foul, 0, "offsetting", status="offsetting")


def marked(line: Any, *bodies: ev.Body, **more: Any) -> Case:
    return Case(bodies, line, check=True, **more)


def as_time_ran_out(*fouls: ev.Body) -> tuple[ev.Body, ...]:
    return *LEAD, LAST, *fouls, ends(4)


FLAG_CASES: dict[str, Case] = {
    # A foul of the defence before the ball was lost gives it back.
    "NFL 14-4: roughing the passer of an interception": marked(
        first(HOME, 45),
        snap(),
        *STOLEN,
        back(40, 55),
        flag(AWAY, ROUGHED, 15, "first_down"),
        choices=[
            (HOME, "accept", first(HOME, 45), True),
            (HOME, "decline", first(AWAY, 55), False),
        ],
    ),
    "NFL 14-4: roughing the passer of an interception for a touchdown": marked(
        first(HOME, 45),
        snap(),
        *STOLEN,
        back(40, 100, is_touchdown=True),
        flag(AWAY, ROUGHED, 15, "first_down"),
    ),
    "NCAA 9-1-9: roughing the passer of an interception": marked(
        first(HOME, 45), snap(), *STOLEN, back(40, 55), flag(AWAY, ROUGHED, 15), competition="ncaa"
    ),
    "NFHS 9-4-4: roughing the passer of an interception": marked(
        first(HOME, 45), snap(), *STOLEN, back(40, 55), flag(AWAY, ROUGHED, 15), competition="nfhs"
    ),
    "NFL 8-4: holding by the defence on an interception for a touchdown": marked(
        first(HOME, 35),
        snap(),
        *STOLEN,
        back(40, 100, is_touchdown=True),
        flag(AWAY, "Defensive Holding", 5, "first_down"),
    ),
    "NFL 14-4: a face mask before the fumble is lost, from the previous spot": marked(
        first(HOME, 45),
        snap(),
        *FUMBLED,
        flag(AWAY, "Face Mask", 15, "first_down", enforcement_yard=70),
    ),
    (
        "NFL 12-2: a face mask on the way back is walked off against the club that has the ball now"
    ): marked(first(AWAY, 51), snap(), *FUMBLED, flag(AWAY, "Face Mask", 15, "downfield")),
    "NFL 14-4: roughing the passer of a sack": marked(
        first(HOME, 45),
        snap(),
        ev.Sack(team=HOME, start_yard=30, end_yard=22),
        flag(AWAY, ROUGHED, 15, "first_down"),
    ),
    # A lost down on fourth down
    "NFL 8-1-2: a second forward pass caught beyond the line to gain on fourth down": marked(
        first(AWAY, 72),
        snap(number=4),
        caught(50),
        flag(HOME, "Illegal Forward Pass", 5, "change_down", enforcement_yard=33),
    ),
    # More than one flag
    "NFL 12-3: offside, and unsportsmanlike conduct by the same club": marked(
        first(HOME, 50),
        snap(),
        flag(AWAY, "Defensive Offside", 5, "nullify"),
        flag(AWAY, "Taunting", 15, "first_down"),
    ),
    "NFL 12-3: a hold by the offence, then unsportsmanlike conduct by the defence": marked(
        first(HOME, 35),
        snap(),
        flag(HOME, "Offensive Holding", 10, "nullify"),
        flag(AWAY, "Taunting", 15),
    ),
    "NFHS 5-1-2: a dead-ball foul that reaches the line to gain": marked(
        first(HOME, 49),
        snap(),
        rush(34),
        flag(AWAY, "Unsportsmanlike Conduct", 15, "downfield"),
        competition="nfhs",
    ),
    "NFHS 9-5: one that does not": marked(
        down(HOME, 49, 3, 6),
        snap(distance=25),
        rush(34),
        flag(AWAY, "Unsportsmanlike Conduct", 15, "downfield"),
        competition="nfhs",
    ),
    # Pass interference at college
    "NCAA 7-3-8: interference in the end zone, snapped at the 15: the 2": marked(
        first(HOME, 98, 2),
        snap(85, 2, 8),
        flag(AWAY, "Defensive Pass Interference", 15, "first_down"),
        competition="ncaa",
    ),
    "NCAA 10-2-6: snapped at the 20 it is not half the distance": marked(
        first(HOME, 95, 5),
        snap(80, 2, 8),
        flag(AWAY, "Defensive Pass Interference", 15, "first_down"),
        competition="ncaa",
    ),
    "NCAA 7-3-8: snapped at the 2 it is half the distance": marked(
        first(HOME, 99, 1),
        snap(98, 2, 2),
        flag(AWAY, "Defensive Pass Interference", 15, "first_down"),
        competition="ncaa",
    ),
    "NFHS 10-1-5: snapped at the 20 it is half the distance": marked(
        first(HOME, 90),
        snap(80, 2, 8),
        flag(AWAY, "Defensive Pass Interference", 15),
        competition="nfhs",
    ),
    # A flag as time runs out
    "NFL 4-8-2: a foul of the defence as the game ends": marked(
        first(AWAY, 65), *as_time_ran_out(flag(HOME, "Defensive Holding", 5, "first_down"))
    ),
    "NFL 4-8-2: the same with the pass that fell, the offended club behind": marked(
        first(AWAY, 80),
        *as_time_ran_out(FALLEN, flag(HOME, "Defensive Pass Interference", 20, "first_down")),
        choices=[
            (AWAY, "accept", first(AWAY, 80), True),
            (AWAY, "decline", down(AWAY, 60, 3, 8), False),
        ],
    ),
    "NFL 4-8-2: fouls that offset": marked(
        down(AWAY, 60, 2, 8),
        *as_time_ran_out(offset(AWAY, "Offensive Holding"), offset(HOME, "Defensive Holding")),
    ),
    "NFL 4-8-2: a foul of the offence gives no more down": marked(
        down(AWAY, 50, 2, 18),
        *as_time_ran_out(flag(AWAY, "Offensive Holding", 10, "nullify")),
        over=True,
    ),
    "NFL 4-8-2: nor one that is declined": marked(
        down(AWAY, 60, 3, 8),
        *as_time_ran_out(FALLEN, flag(HOME, "Defensive Offside", 5, "decline", status="declined")),
        over=True,
    ),
    "NFL 4-8-2: nor one after the play": marked(
        first(AWAY, 75),
        *as_time_ran_out(FALLEN, flag(HOME, "Taunting", 15, "downfield")),
        over=True,
    ),
    "NFL 4-8-2: with the score tied it is not overtime yet": marked(
        first(HOME, 65),
        snap(60, 2, 8, period=4, clock=3),
        flag(AWAY, "Defensive Holding", 5, "first_down"),
        ends(4),
    ),
    "NFL 4-8-2: in overtime": marked(
        first(HOME, 65),
        kickoff(),
        begins(5),
        kickoff(AWAY, period=5, clock=600),
        snap(60, 2, 8, period=5, clock=3),
        flag(AWAY, "Defensive Holding", 5, "first_down"),
        ends(5),
    ),
    "NCAA 3-2-3-a: a foul of the offence too": marked(
        down(AWAY, 50, 2, 18),
        *as_time_ran_out(flag(AWAY, "Holding", 10, "nullify")),
        competition="ncaa",
    ),
    "NFHS 3-3-4: not one that costs the down": marked(
        down(AWAY, 55, 3, 13),
        *as_time_ran_out(FALLEN, flag(AWAY, "Intentional Grounding", 5)),
        competition="nfhs",
        over=True,
    ),
    # Kicks
    "NFL 9-3: a blocked punt recovered beyond the line by the kickers": marked(
        first(AWAY, 58),
        snap(number=4),
        kick("punt", "blocked", 30),
        ev.Recovery(team=HOME, player="sf-4", yard=42),
    ),
    "NFHS 6-2: a blocked field goal recovered beyond the line to gain by the kickers": marked(
        first(AWAY, 20),
        snap(70, 4, 8),
        kick("field_goal", "blocked", 70, 47),
        ev.Recovery(team=HOME, player="sf-4", yard=80),
        competition="nfhs",
    ),
    "NFL 2025, 6-1: a kickoff muffed in the landing zone, fallen on in the end zone": Case(
        (
            kickoff(),
            kick("kickoff", "returned", 35, 62),
            back(3, 3),
            ev.Fumble(team=AWAY, player="dal-88", yard=3),
            ev.Recovery(team=AWAY, player="dal-88", yard=0),
        ),
        first(AWAY, 20),
        season=2025,
    ),
    "NFL 8-4: a foul of the defence beside a touchdown that stands": marked(
        kicks(HOME, 85, "try"),
        GOAL_LINE,
        SCORE,
        flag(AWAY, "Unnecessary Roughness", 15, "downfield"),
        season=2018,
    ),
    "NFL 8-5: on an incomplete pass nothing has changed": marked(
        first(HOME, 47),
        snap(),
        INCOMPLETE,
        flag(AWAY, "Defensive Pass Interference", 17, "first_down"),
    ),
}
