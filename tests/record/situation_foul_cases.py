"""Cases of next snaps with flags.

Before the snap, during the play, by spot and basis, and the choice of a club.
"""

from __future__ import annotations

from app.record import events as ev
from tests.record.situation_plays import (
    AWAY,
    GOAL_LINE,
    GOOD,
    HOME,
    INCOMPLETE,
    PICK,
    SCORE,
    Case,
    a_try,
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

FOUL_CASES: dict[str, Case] = {
    # Fouls before the snap
    "a false start": Case(
        (snap(), flag(HOME, "False Start", 5, "repeat_down")), down(HOME, 25, 2, 13), check=True
    ),
    "encroachment": Case(
        (snap(), flag(AWAY, "Encroachment", 5, "repeat_down")), down(HOME, 35, 2, 3), check=True
    ),
    "encroachment past the line to gain": Case(
        (snap(distance=3), flag(AWAY, "Encroachment", 5, "repeat_down")),
        first(HOME, 35),
        check=True,
    ),
    # Fouls during a play
    "a play wiped out by holding": Case(
        (snap(), flag(HOME, "Offensive Holding", 10, "nullify")), down(HOME, 20, 2, 18), check=True
    ),
    "holding by the defence": Case(
        (snap(), flag(AWAY, "Defensive Holding", 5, "first_down")), first(HOME, 35), check=True
    ),
    "holding by the defence at high school": Case(
        (snap(distance=12), flag(AWAY, "Defensive Holding", 10)),
        down(HOME, 40, 2, 2),
        check=True,
        competition="nfhs",
    ),
    "holding from the end of the run": Case(
        (snap(), rush(34), flag(HOME, "Offensive Holding", 10, "downfield")),
        down(HOME, 24, 2, 14),
        check=True,
    ),
    "grounding": Case(
        (snap(), INCOMPLETE, flag(HOME, "Intentional Grounding", 10, "change_down")),
        down(HOME, 20, 3, 18),
        check=True,
    ),
    "roughing after a catch": Case(
        (snap(), caught(40), flag(AWAY, "Roughing the Passer", 15, "downfield")),
        first(HOME, 55),
        check=True,
    ),
    "a dead-ball foul by the offence": Case(
        (snap(), rush(34), flag(HOME, "Unsportsmanlike Conduct", 15, "downfield")),
        down(HOME, 19, 3, 19),
        check=True,
    ),
    "a foul that nobody named": Case(
        (snap(), rush(34), flag(AWAY, "", 15, "downfield")), first(HOME, 49), check=True
    ),
    "a foul that offsets none": Case(
        (
            snap(),
            rush(36),
            flag(HOME, "Offensive Holding", 0, "offsetting", status="offsetting"),
        ),
        down(HOME, 36, 3, 2),
        check=True,
    ),
    "fouls that offset": Case(
        (
            snap(),
            flag(HOME, "Offensive Holding", 0, "offsetting", status="offsetting"),
            flag(AWAY, "Illegal Contact", 0, "offsetting", status="offsetting"),
        ),
        down(HOME, 30, 2, 8),
        check=True,
    ),
    "two fouls of two clubs": Case(
        (snap(), flag(AWAY, "Defensive Holding", 5, "first_down"), flag(HOME, "Taunting", 15)),
        first(HOME, 20),
        check=True,
    ),
    "a foul declined": Case(
        (snap(), rush(34), flag(AWAY, "Defensive Offside", 5, "decline", status="declined")),
        down(HOME, 34, 3, 4),
    ),
    "a hold on the return of a kickoff": Case(
        (
            kickoff(),
            kick("kickoff", "returned", 35, 60),
            back(5, 30),
            flag(AWAY, "Offensive Holding", 10, "downfield"),
        ),
        first(AWAY, 20),
        check=True,
    ),
    "offside on a kickoff": Case(
        (kickoff(), flag(AWAY, "Offside on Free Kick", 5, "repeat_down")),
        kicks(HOME, 40),
        check=True,
    ),
    "a foul on the try, for the kickoff": Case(
        (a_try(), GOOD, flag(AWAY, "Unsportsmanlike Conduct", 15, "downfield")),
        kicks(HOME, 50),
        check=True,
    ),
    "a foul on the touchdown, for the kickoff": Case(
        (GOAL_LINE, SCORE, flag(AWAY, "Unnecessary Roughness", 15, "downfield"), a_try(), GOOD),
        kicks(HOME, 50),
        check=True,
    ),
    "grounding on fourth down": Case(
        (snap(number=4), flag(HOME, "Intentional Grounding", 10, "change_down"), INCOMPLETE),
        first(AWAY, 80),
        check=True,
    ),
    # Fouls by spot and basis, and the offended club's choice
    "interference takes the throw away": Case(
        (snap(), INCOMPLETE, flag(AWAY, "Defensive Pass Interference", 17, "first_down")),
        first(HOME, 47),
        check=True,
        choices=[
            (HOME, "accept", first(HOME, 47), True),
            (HOME, "decline", down(HOME, 30, 3, 8), False),
        ],
    ),
    "interference in the end zone": Case(
        (snap(60, 1, 10), flag(AWAY, "Defensive Pass Interference", 39, "first_down")),
        first(HOME, 99, 1),
        check=True,
    ),
    "interference at college": Case(
        (snap(), INCOMPLETE, flag(AWAY, "Defensive Pass Interference", 15, "first_down")),
        first(HOME, 45),
        check=True,
        competition="ncaa",
        choices=[
            (HOME, "accept", first(HOME, 45), True),
            (HOME, "decline", down(HOME, 30, 3, 8), False),
        ],
    ),
    "offensive interference on a catch": Case(
        (snap(), caught(45), flag(HOME, "Offensive Pass Interference", 10, "nullify")),
        down(HOME, 20, 2, 18),
        check=True,
        choices=[
            (AWAY, "accept", down(HOME, 20, 2, 18), True),
            (AWAY, "decline", first(HOME, 45), False),
        ],
    ),
    "holding walked off from the spot of the foul": Case(
        (snap(), rush(45), flag(HOME, "Offensive Holding", 10, "downfield", enforcement_yard=36)),
        down(HOME, 26, 2, 12),
        check=True,
        choices=[
            (AWAY, "accept", down(HOME, 26, 2, 12), False),
            (AWAY, "decline", first(HOME, 45), False),
        ],
    ),
    "the defence's foul, its spot noted from its own goal line": Case(
        (
            snap(),
            rush(34),
            flag(AWAY, "Illegal Use of Hands", 5, "first_down", enforcement_yard=70),
        ),
        first(HOME, 35),
        check=True,
        choices=[
            (HOME, "accept", first(HOME, 35), True),
            (HOME, "decline", down(HOME, 34, 3, 4), False),
        ],
    ),
    "a face mask at the end of the run": Case(
        (snap(), rush(34), flag(AWAY, "Face Mask", 15, "downfield")),
        first(HOME, 49),
        check=True,
        choices=[
            (HOME, "accept", first(HOME, 49), False),
            (HOME, "decline", down(HOME, 34, 3, 4), False),
        ],
    ),
    "roughing on an incomplete pass": Case(
        (snap(), INCOMPLETE, flag(AWAY, "Roughing the Passer", 15, "first_down")),
        first(HOME, 45),
        check=True,
        choices=[
            (HOME, "accept", first(HOME, 45), True),
            (HOME, "decline", down(HOME, 30, 3, 8), False),
        ],
    ),
    "half the distance to the offence's goal": Case(
        (snap(8, 1, 10), flag(HOME, "Offensive Holding", 10, "nullify")),
        down(HOME, 4, 1, 14),
        check=True,
    ),
    "half the distance to the defence's goal": Case(
        (snap(94, 2, 6), flag(AWAY, "Defensive Holding", 5, "first_down")),
        first(HOME, 97, 3),
        check=True,
    ),
    "what the officials walked off stands": Case(
        (snap(8, 1, 10), flag(HOME, "Offensive Holding", 3, "nullify")),
        down(HOME, 5, 1, 13),
        check=True,
    ),
    "a dead-ball foul after a first down": Case(
        (snap(), rush(45), flag(HOME, "Taunting", 15, "downfield")),
        down(HOME, 30, 1, 25),
        check=True,
        choices=[
            (AWAY, "accept", down(HOME, 30, 1, 25), False),
            (AWAY, "decline", first(HOME, 45), False),
        ],
    ),
    "the same at college": Case(
        (snap(), rush(45), flag(HOME, "Unsportsmanlike Conduct", 15, "downfield")),
        first(HOME, 30),
        check=True,
        competition="ncaa",
        choices=[
            (AWAY, "accept", first(HOME, 30), False),
            (AWAY, "decline", first(HOME, 45), False),
        ],
    ),
    "a foul that the offended club declines, with its choice": Case(
        (snap(), rush(45), flag(AWAY, "Defensive Offside", 5, "decline", status="declined")),
        first(HOME, 45),
        choices=[
            (HOME, "accept", down(HOME, 35, 2, 3), True),
            (HOME, "decline", first(HOME, 45), False),
        ],
    ),
    "roughing the kicker gives the ball back": Case(
        (
            snap(number=4),
            kick("punt", "fair_catch", 30, 45),
            flag(AWAY, "Roughing the Kicker", 15, "first_down"),
        ),
        first(HOME, 45),
        check=True,
        choices=[
            (HOME, "accept", first(HOME, 45), True),
            (HOME, "decline", first(AWAY, 25), False),
        ],
    ),
    "running into the kicker repeats fourth down": Case(
        (
            snap(number=4),
            kick("punt", "fair_catch", 30, 45),
            flag(AWAY, "Running Into the Kicker", 5, "repeat_down"),
        ),
        down(HOME, 35, 4, 3),
        check=True,
        choices=[
            (HOME, "accept", down(HOME, 35, 4, 3), True),
            (HOME, "decline", first(AWAY, 25), False),
        ],
    ),
    "a block in the back on the return of a punt": Case(
        (
            snap(number=4),
            kick("punt", "returned", 30, 45),
            back(25, 40),
            flag(AWAY, "Illegal Block Above the Waist", 10, "downfield", enforcement_yard=33),
        ),
        first(AWAY, 23),
        check=True,
        choices=[
            (HOME, "accept", first(AWAY, 23), False),
            (HOME, "decline", first(AWAY, 40), False),
        ],
    ),
    "interference with a fair catch": Case(
        (
            snap(number=4),
            kick("punt", "fair_catch", 30, 45),
            flag(HOME, "Fair Catch Interference", 15, "downfield"),
        ),
        first(AWAY, 40),
        check=True,
        choices=[
            (AWAY, "accept", first(AWAY, 40), False),
            (AWAY, "decline", first(AWAY, 25), False),
        ],
    ),
    "offside on a kickoff into the end zone": Case(
        (
            kickoff(),
            kick("kickoff", "touchback", 35, 65),
            flag(HOME, "Offside on Free Kick", 5, "downfield"),
        ),
        first(AWAY, 30),
        check=True,
        choices=[
            (AWAY, "accept", first(AWAY, 30), False),
            (AWAY, "decline", first(AWAY, 25), False),
        ],
    ),
    "offside on a kickoff that is kicked again": Case(
        (
            kickoff(),
            kick("kickoff", "returned", 35, 60),
            back(5, 20),
            flag(HOME, "Offside on Free Kick", 5, "nullify"),
        ),
        kicks(HOME, 30),
        check=True,
        choices=[
            (AWAY, "accept", kicks(HOME, 30), True),
            (AWAY, "decline", first(AWAY, 20), False),
        ],
    ),
    "holding wipes the interception out": Case(
        (snap(), PICK, back(40, 55), flag(AWAY, "Defensive Holding", 5, "first_down")),
        first(HOME, 35),
        check=True,
        choices=[
            (HOME, "accept", first(HOME, 35), True),
            (HOME, "decline", first(AWAY, 55), False),
        ],
    ),
    "holding wipes the touchdown out": Case(
        (GOAL_LINE, SCORE, flag(HOME, "Offensive Holding", 10, "nullify")),
        down(HOME, 85, 1, 15),
        check=True,
        choices=[
            (AWAY, "accept", down(HOME, 85, 1, 15), True),
            (AWAY, "decline", kicks(HOME, 85, "try"), False),
        ],
    ),
    "the scorers' foul after a touchdown": Case(
        (GOAL_LINE, SCORE, flag(HOME, "Taunting", 15, "downfield")),
        kicks(HOME, 70, "try"),
        check=True,
        choices=[
            (AWAY, "try", kicks(HOME, 70, "try"), False),
            (AWAY, "kickoff", kicks(HOME, 85, "try"), False),
        ],
    ),
    "the same in 2018, when it waited for the kickoff": Case(
        (GOAL_LINE, SCORE, flag(HOME, "Taunting", 15, "downfield"), a_try(), GOOD),
        kicks(HOME, 20),
        check=True,
        season=2018,
    ),
    "a foul before the try by kick waits for the kickoff": Case(
        (GOAL_LINE, SCORE, a_try(), flag(AWAY, "Encroachment", 5, "repeat_down"), a_try(), GOOD),
        kicks(HOME, 40),
        check=True,
    ),
    "half the distance on a try is a try for two": Case(
        (GOAL_LINE, SCORE, a_try(), flag(AWAY, "Defensive Offside", 1, "nullify")),
        kicks(HOME, 99, "try"),
        check=True,
    ),
    "a false start on the try": Case(
        (GOAL_LINE, SCORE, a_try(), flag(HOME, "False Start", 5, "repeat_down")),
        kicks(HOME, 80, "try"),
        check=True,
    ),
    "roughing the kicker of a try that is kicked again": Case(
        (GOAL_LINE, SCORE, a_try(), flag(AWAY, "Roughing the Kicker", 15, "nullify")),
        kicks(HOME, 92, "try"),
        check=True,
    ),
    "one or two points": Case(
        (GOAL_LINE, SCORE),
        kicks(HOME, 85, "try"),
        check=True,
        choices=[
            (HOME, "one", kicks(HOME, 85, "try"), False),
            (HOME, "two", kicks(HOME, 98, "try"), False),
        ],
    ),
    "two points late in the game would tie it": Case(
        (
            snap(75, 4, period=3),
            kick("field_goal", "good", 75, 42, AWAY),
            snap(75, 4, period=3),
            kick("field_goal", "good", 75, 42, AWAY),
            snap(75, 4, period=3, team=AWAY),
            ev.Safety(team=AWAY),
            snap(95, 1, 5, period=4),
            SCORE,
        ),
        kicks(HOME, 98, "try"),
        check=True,
        choices=[
            (HOME, "one", kicks(HOME, 85, "try"), False),
            (HOME, "two", kicks(HOME, 98, "try"), False),
        ],
    ),
}
