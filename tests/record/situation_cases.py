"""Cases of next snaps without a flag: kickoffs, downs, turnovers, kicks, tries, periods."""

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
    STARTED,
    Case,
    a_try,
    back,
    begins,
    caught,
    down,
    ends,
    first,
    kick,
    kickoff,
    kicks,
    rush,
    snap,
)

PLAY_CASES: dict[str, Case] = {
    # Kickoffs
    "nothing yet: the opening kickoff": Case((), kicks(HOME, 35), check=True),
    "the game begins": Case((STARTED, begins(1)), kicks(HOME, 35), check=True),
    "the toss says who kicks off (NFL 4-2-2)": Case(
        (STARTED, ev.CoinToss(winner=HOME, choice="defer", receiver=AWAY)), kicks(HOME, 35)
    ),
    "the home club receives": Case(
        (ev.CoinToss(winner=HOME, choice="receive", receiver=HOME), STARTED, begins(1)),
        kicks(AWAY, 35),
    ),
    "from the 30 in 2010": Case((STARTED,), kicks(HOME, 30), check=True, season=2010),
    "from the 40 at high school": Case((STARTED,), kicks(HOME, 40), check=True, competition="nfhs"),
    "a kickoff that only began": Case((kickoff(),), kicks(HOME, 35)),
    "a touchback": Case((kickoff(), kick("kickoff", "touchback", 35, 65)), first(AWAY, 25)),
    "a touchback in 2015": Case(
        (kickoff(), kick("kickoff", "touchback", 35, 65)), first(AWAY, 20), season=2015
    ),
    "a touchback at college in 2010": Case(
        (kickoff(), kick("kickoff", "touchback", 30, 70)),
        first(AWAY, 20),
        competition="ncaa",
        season=2010,
    ),
    "a kickoff returned": Case(
        (kickoff(), kick("kickoff", "returned", 35, 60), back(5, 28)), first(AWAY, 28)
    ),
    "a kickoff brought out of the end zone": Case(
        (kickoff(), kick("kickoff", "returned", 35, 70), back(-5, 22)), first(AWAY, 22), check=True
    ),
    "a kickoff returned for a touchdown": Case(
        (kickoff(), kick("kickoff", "returned", 35, 60), back(5, 100, is_touchdown=True)),
        kicks(AWAY, 85, "try"),
        check=True,
    ),
    "a kickoff out of bounds": Case(
        (kickoff(), kick("kickoff", "out_of_bounds", 35, 50)), first(AWAY, 40)
    ),
    "a kickoff fair caught": Case(
        (kickoff(), kick("kickoff", "fair_catch", 35, 50)), first(AWAY, 15)
    ),
    "a kickoff downed, its length not noted": Case(
        (kickoff(), kick("kickoff", "downed", 35)), first(AWAY, 65), check=True
    ),
    "an onside kick kept": Case(
        (kickoff(), kick("onside", "recovered", 35, 12), ev.Recovery(team=HOME, yard=49)),
        first(HOME, 49),
    ),
    "a free kick returned": Case(
        (
            kickoff(spot=20, situation="free_kick"),
            kick("free_kick", "returned", 20, 60),
            back(20, 31),
        ),
        first(AWAY, 31),
    ),
    # From scrimmage
    "a snap alone": Case((snap(),), down(HOME, 30, 2, 8)),
    "short": Case((snap(), rush(34)), down(HOME, 34, 3, 4)),
    "a loss": Case((snap(), rush(27)), down(HOME, 27, 3, 11)),
    "no gain": Case((snap(), rush(30)), down(HOME, 30, 3, 8)),
    "a first down to the inch": Case((snap(), rush(38)), first(HOME, 38)),
    "first and goal": Case((snap(85, 1, 10), rush(96, 85)), first(HOME, 96, 4)),
    "goal to go": Case((snap(92, 1, 8), rush(95, 92)), down(HOME, 95, 2, 5)),
    "a loss from goal to go": Case((snap(92, 1, 8), rush(85, 92)), down(HOME, 85, 2, 15)),
    "on downs": Case((snap(60, 4, 2), rush(61, 60)), first(AWAY, 39), check=True),
    "on downs by a pass": Case(
        (snap(60, 4, 2), ev.Pass(team=HOME, result="incomplete", throw_yard=60)),
        first(AWAY, 40),
        check=True,
    ),
    "fourth down made": Case((snap(60, 4, 2), rush(63, 60)), first(HOME, 63)),
    "a kneel": Case(
        (snap(), ev.Run(team=HOME, kind="kneel", start_yard=30, end_yard=29)), down(HOME, 29, 3, 9)
    ),
    "incomplete": Case((snap(), INCOMPLETE), down(HOME, 30, 3, 8)),
    "a spike": Case(
        (snap(), ev.Pass(team=HOME, result="spike", throw_yard=30)), down(HOME, 30, 3, 8)
    ),
    "a catch": Case((snap(), caught(36)), down(HOME, 36, 3, 2)),
    "a catch and run with a lateral": Case(
        (
            snap(),
            caught(36),
            ev.Run(team=HOME, kind="after_catch", start_yard=36, end_yard=41),
            ev.Run(team=HOME, kind="after_lateral", start_yard=40, end_yard=52),
        ),
        first(HOME, 52),
    ),
    "a sack": Case((snap(), ev.Sack(team=HOME, start_yard=30, end_yard=23)), down(HOME, 23, 3, 15)),
    "a tackle and a timeout move nothing": Case(
        (snap(), rush(34), ev.Tackle(team=AWAY, kind="solo", yard=34), ev.Timeout(team=AWAY)),
        down(HOME, 34, 3, 4),
    ),
    "a touchdown": Case((GOAL_LINE, SCORE), kicks(HOME, 85, "try"), check=True),
    "a touchdown in 2014": Case((GOAL_LINE, SCORE), kicks(HOME, 98, "try"), season=2014),
    "a touchdown at college": Case((GOAL_LINE, SCORE), kicks(HOME, 97, "try"), competition="ncaa"),
    "a touchdown by a catch": Case(
        (snap(80, 1, 10), caught(100, 80, is_touchdown=True)), kicks(HOME, 85, "try"), check=True
    ),
    "a safety": Case(
        (snap(5), ev.Sack(team=HOME, start_yard=5, end_yard=0), ev.Safety(team=AWAY)),
        kicks(HOME, 20, "free_kick"),
    ),
    # Turnovers
    "an interception returned": Case(
        (snap(), PICK, ev.Interception(team=AWAY, yard=40), back(40, 55)), first(AWAY, 55)
    ),
    "an interception alone": Case((snap(), PICK), first(AWAY, 40)),
    "an interception downed in the end zone": Case(
        (snap(), PICK, ev.Interception(team=AWAY, yard=0)), first(AWAY, 20)
    ),
    "an interception for a touchdown": Case(
        (snap(), PICK, ev.Interception(team=AWAY, yard=40), back(40, 100, is_touchdown=True)),
        kicks(AWAY, 85, "try"),
        check=True,
    ),
    "an interception fumbled back": Case(
        (
            snap(),
            PICK,
            ev.Interception(team=AWAY, yard=40),
            back(40, 45),
            ev.Fumble(team=AWAY, yard=45),
            ev.Recovery(team=HOME, yard=57),
        ),
        first(HOME, 57),
    ),
    "a fumble kept": Case(
        (snap(), rush(33), ev.Fumble(team=HOME, yard=33), ev.Recovery(team=HOME, yard=32)),
        down(HOME, 32, 3, 6),
    ),
    "a fumble lost": Case(
        (snap(), rush(33), ev.Fumble(team=HOME, yard=33), ev.Recovery(team=AWAY, yard=69)),
        first(AWAY, 69),
    ),
    "a fumble lost where it fell": Case(
        (snap(), rush(33), ev.Fumble(team=HOME, yard=33), ev.Recovery(team=AWAY, yard=67)),
        first(AWAY, 67),
        check=True,
    ),
    "a fumble lost, nobody said where": Case(
        (snap(), rush(33), ev.Fumble(team=HOME, yard=33), ev.Recovery(team=AWAY)),
        first(AWAY, 67),
        check=True,
    ),
    "a fumble out of bounds": Case(
        (snap(), rush(33), ev.Fumble(team=HOME, yard=33, out_of_bounds=True)),
        down(HOME, 33, 3, 5),
        check=True,
    ),
    "a fumble through the far end zone": Case(
        (snap(), rush(98), ev.Fumble(team=HOME, yard=100, out_of_bounds=True)), first(AWAY, 20)
    ),
    "a fumble through the far end zone, lost at the 2": Case(
        (
            snap(),
            rush(98),
            ev.Fumble(team=HOME, yard=98, out_of_bounds=True),
            ev.Recovery(team=AWAY, yard=0),
        ),
        first(AWAY, 20),
        check=True,
    ),
    "a fumble lost for a touchdown": Case(
        (
            snap(),
            rush(33),
            ev.Fumble(team=HOME, yard=33),
            ev.Recovery(team=AWAY, yard=69),
            ev.Run(
                team=AWAY, kind="after_recovery", start_yard=69, end_yard=100, is_touchdown=True
            ),
        ),
        kicks(AWAY, 85, "try"),
        check=True,
    ),
    # Punts and field goals
    "a punt fair caught": Case(
        (snap(number=4), kick("punt", "fair_catch", 30, 45)), first(AWAY, 25)
    ),
    "a punt returned": Case(
        (snap(number=4), kick("punt", "returned", 30, 45), back(25, 37)), first(AWAY, 37)
    ),
    "a punt into the end zone": Case(
        (snap(60, 4), kick("punt", "touchback", 60, 40)), first(AWAY, 20)
    ),
    "a punt out of bounds": Case(
        (snap(60, 4), kick("punt", "out_of_bounds", 60, 32)), first(AWAY, 8)
    ),
    "a punt downed": Case((snap(60, 4), kick("punt", "downed", 60, 38)), first(AWAY, 2)),
    "a punt muffed and lost": Case(
        (snap(number=4), kick("punt", "recovered", 30, 45), ev.Recovery(team=HOME, yard=77)),
        first(HOME, 77),
    ),
    "a punt blocked": Case(
        (snap(number=4), kick("punt", "blocked", 30), ev.Recovery(team=AWAY, yard=78)),
        first(AWAY, 78),
    ),
    "a field goal": Case((snap(75, 4), kick("field_goal", "good", 75, 42)), kicks(HOME, 35)),
    "a field goal missed": Case(
        (snap(60, 4), kick("field_goal", "missed", 60, 57)), first(AWAY, 47)
    ),
    "a field goal missed from close in": Case(
        (snap(90, 4), kick("field_goal", "missed", 90, 27)), first(AWAY, 20)
    ),
    "a field goal missed at college": Case(
        (snap(60, 4), kick("field_goal", "missed", 60, 57)), first(AWAY, 40), competition="ncaa"
    ),
    # Tries
    "a try that only began": Case((GOAL_LINE, SCORE, a_try()), kicks(HOME, 85, "try")),
    "after the try": Case((GOAL_LINE, SCORE, a_try(), GOOD), kicks(HOME, 35)),
    "after a try for two": Case(
        (GOAL_LINE, SCORE, a_try(98), ev.Conversion(team=HOME, kind="rush", good=False)),
        kicks(HOME, 35),
    ),
    "after a try brought back": Case(
        (
            a_try(98),
            ev.Conversion(team=HOME, kind="pass", good=False),
            ev.Conversion(team=AWAY, side="defence", kind="return", good=True),
        ),
        kicks(HOME, 35),
    ),
    # Periods
    "the second quarter goes on": Case(
        (snap(), rush(34), ends(1), begins(2)), down(HOME, 34, 3, 4)
    ),
    "between the quarters": Case((snap(), rush(34), ends(1)), down(HOME, 34, 3, 4)),
    "the second half": Case((kickoff(AWAY), snap(), rush(34), ends(2), begins(3)), kicks(HOME, 35)),
    "the second half, away received": Case(
        (kickoff(), snap(), rush(34), ends(2), begins(3)), kicks(AWAY, 35)
    ),
    "overtime": Case(
        (kickoff(), snap(), rush(34), ends(4), begins(5)), kicks(HOME, 35), check=True
    ),
    "the second overtime quarter of 2016": Case(
        (snap(period=6), rush(34)), down(HOME, 34, 3, 4), season=2016
    ),
}
