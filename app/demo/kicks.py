"""Kicks and tries; each records its snap and events and returns how it ended.

calls.py chooses among them. Lengths of kicks count from the line of scrimmage; those of field goals
and extra points are as announced, with the end zone and the seven yards to the holder.
"""

from __future__ import annotations

from typing import Literal

from app.demo.ball import BallCarrier, Carry, carry, loose_ball
from app.demo.clubs import skill
from app.demo.field import GOAL_LINE, Field, Result, flip
from app.demo.lineup import BALL_HAWKS, CARRIERS, COVERAGE, RETURNERS, RUSHERS, TARGETS
from app.record.events import Conversion, Kick, Recovery

_EXTRA_POINT_SPOT = 85
_TWO_POINT_SPOT = 98
# Cumulative probabilities of what becomes of a kick.
_KICKOFF_TOUCHBACK = 0.57
_KICKOFF_OUT_OF_BOUNDS = 0.58
_PUNT_RETURNED = 0.49
_PUNT_MUFFED = 0.51
_PUNT_FAIR_CATCH = 0.76
_PUNT_DOWNED = 0.9
_EXTRA_POINT_UNBLOCKED = 0.99
_NO_RETURNS_BEFORE = 12  # yards from the receivers' goal line
_COFFIN_CORNER = 95  # punts beyond it are often shortened

Landing = Literal["returned", "touchback", "fair_catch", "downed", "out_of_bounds", "recovered"]


def kickoff(field: Field, club: str) -> Result:
    """Kick off from the 35 of `club`."""
    rng, kicker, receivers = field.rng, field.side(club).first("K"), field.other(club)
    field.snap_kick("kickoff", club, 35)
    fate = rng.random()
    if fate < _KICKOFF_TOUCHBACK:
        field.tape.record(
            Kick(
                team=club,
                kicker=kicker,
                kind="kickoff",
                result="touchback",
                start_yard=35,
                distance=65,
            )
        )
        return Result(receivers, 25, 0, stopped=True)
    if fate < _KICKOFF_OUT_OF_BOUNDS:
        length = rng.randint(48, 60)
        field.tape.record(
            Kick(
                team=club,
                kicker=kicker,
                kind="kickoff",
                result="out_of_bounds",
                start_yard=35,
                distance=length,
            )
        )
        return Result(receivers, 40, 0, stopped=True)
    length = rng.randint(57, 65)
    field.tape.record(
        Kick(
            team=club,
            kicker=kicker,
            kind="kickoff",
            result="returned",
            start_yard=35,
            distance=length,
        )
    )
    return _bring_back(
        field, receivers, flip(35 + length), round(rng.gauss(22, 5)), rng.randint(4, 7)
    )


def onside(field: Field, club: str) -> Result:
    """Kick short, so that `club` may recover the ball: one in eight succeeds."""
    rng, receivers = field.rng, field.other(club)
    field.snap_kick("kickoff", club, 35)
    length = rng.randint(10, 14)
    kicker = field.side(club).first("K")
    field.tape.record(
        Kick(
            team=club,
            kicker=kicker,
            kind="onside",
            result="recovered",
            start_yard=35,
            distance=length,
        )
    )
    owner = club if field.chance(0.12) else receivers
    at = 35 + length if owner == club else flip(35 + length)
    field.tape.record(Recovery(team=owner, player=field.side(owner).pick(rng, COVERAGE), yard=at))
    return Result(owner, at, 2, stopped=True)


def free_kick(field: Field, club: str) -> Result:
    """Punt the ball away from the 20 of `club` after a safety."""
    rng = field.rng
    field.snap_kick("free_kick", club, 20)
    length = rng.randint(50, 66)
    punter = field.side(club).first("P")
    field.tape.record(
        Kick(
            team=club,
            kicker=punter,
            kind="free_kick",
            result="returned",
            start_yard=20,
            distance=length,
        )
    )
    return _bring_back(
        field, field.other(club), flip(20 + length), round(rng.gauss(13, 6)), rng.randint(5, 8)
    )


def _bring_back(field: Field, club: str, at: int, gain: int, seconds: int) -> Result:
    """Return a kick that `club` fielded at `at`; a few returns are long."""
    returner = field.side(club).pick(field.rng, RETURNERS)
    if field.chance(0.035):
        gain += 5 + round(field.rng.expovariate(1 / 32))
    return carry(
        field,
        Carry(BallCarrier(club, returner), "return", at, max(0 if at else 5, gain), seconds),
    )


def punt(field: Field) -> Result:
    """Punt the ball away: returned, caught, downed, out of bounds, touchback, blocked or muffed."""
    rng, receivers, spot = field.rng, field.defence, field.spot
    punter = field.offence.first("P")
    field.kicking = True
    if field.chance(0.006):
        return _blocked(field, "punt", punter, max(1, spot - rng.randint(4, 10)))
    length = max(22, min(68, round(rng.gauss(46 + skill(punter or ""), 7))))
    if spot + length > _COFFIN_CORNER and field.chance(0.6):
        length = rng.randint(max(15, 86 - spot), max(16, 96 - spot))  # dropped short on purpose
    seconds = rng.randint(5, 9)
    if spot + length >= GOAL_LINE:
        _punted(field, punter, "touchback", GOAL_LINE - spot)
        return Result(receivers.club.id, 20, seconds, stopped=True)
    at = flip(spot + length)
    fate = rng.random()
    if at >= _NO_RETURNS_BEFORE and fate < _PUNT_RETURNED:
        _punted(field, punter, "returned", length)
        return _bring_back(field, receivers.club.id, at, round(rng.gauss(8, 5)), seconds + 3)
    if at >= _NO_RETURNS_BEFORE and fate < _PUNT_MUFFED:
        returner = receivers.pick(rng, RETURNERS)
        _punted(field, punter, "recovered", length)
        muffed = loose_ball(field, BallCarrier(receivers.club.id, returner), at, seconds + 2)
        return Result(muffed.club, muffed.spot, muffed.seconds, True, muffed.scored)
    _punted(field, punter, _end_of_dead_punt(fate), length)
    return Result(receivers.club.id, at, seconds, stopped=True)


def _end_of_dead_punt(fate: float) -> Landing:
    if fate < _PUNT_FAIR_CATCH:
        return "fair_catch"
    return "downed" if fate < _PUNT_DOWNED else "out_of_bounds"


def _punted(field: Field, punter: str | None, result: Landing, length: int) -> None:
    field.tape.record(
        Kick(
            team=field.possession,
            kicker=punter,
            kind="punt",
            result=result,
            start_yard=field.spot,
            distance=length,
        )
    )


def _blocked(
    field: Field, kind: Literal["punt", "field_goal"], kicker: str | None, at: int
) -> Result:
    """Block the kick; the defence recovers it at `at` (as the kickers count)."""
    rng, club, defence = field.rng, field.possession, field.defence
    by = defence.pick(rng, RUSHERS)
    field.tape.record(
        Kick(
            team=club,
            kicker=kicker,
            kind=kind,
            result="blocked",
            start_yard=field.spot,
            blocked_by=by,
            blocked_by_team=defence.club.id,
        )
    )
    field.changed = True
    finder = defence.pick(rng, BALL_HAWKS)
    field.tape.record(Recovery(team=defence.club.id, player=finder, yard=flip(at)))
    if field.chance(0.4):
        gain = round(rng.expovariate(1 / 18))
        carrier = BallCarrier(defence.club.id, finder)
        return carry(field, Carry(carrier, "after_recovery", flip(at), gain, 9))
    return Result(defence.club.id, flip(at), 5, stopped=True)


def field_goal(field: Field) -> Result:
    """Try a field goal: nearly sure up to 30 yards, two in three from 50.

    After a miss the opponents get the ball at the spot of the kick.
    """
    club, kicker = field.possession, field.offence.first("K")
    length = GOAL_LINE - field.spot + 17
    field.kicking = True
    if field.chance(0.018):
        return _blocked(field, "field_goal", kicker, max(1, field.spot - 7))
    good = field.chance(0.985 - max(0, length - 30) * 0.0145 + 0.02 * skill(kicker or ""))
    field.tape.record(
        Kick(
            team=club,
            kicker=kicker,
            kind="field_goal",
            result="good" if good else "missed",
            start_yard=field.spot,
            distance=length,
        )
    )
    if good:
        return Result(club, field.spot, 4, True, "field_goal")
    return Result(field.other(club), max(20, flip(field.spot - 7)), 4, stopped=True)


def extra_point(field: Field, club: str) -> None:
    """Kick for the extra point after a touchdown of `club`."""
    kicker, defence = field.side(club).first("K"), field.side(field.other(club))
    field.snap_kick("try", club, _EXTRA_POINT_SPOT)
    fate = field.rng.random()
    blocked = fate > _EXTRA_POINT_UNBLOCKED
    result: Literal["blocked", "good", "missed"] = "missed"
    if blocked:
        result = "blocked"
    elif fate < 0.94 + 0.01 * skill(kicker or ""):
        result = "good"
    field.tape.record(
        Kick(
            team=club,
            kicker=kicker,
            kind="extra_point",
            result=result,
            start_yard=_EXTRA_POINT_SPOT,
            distance=33,
            blocked_by=defence.pick(field.rng, RUSHERS) if blocked else None,
            blocked_by_team=defence.club.id if blocked else None,
        )
    )


def two_point(field: Field, club: str) -> None:
    """Try for two points, by a pass or a run.

    The defence may return an intercepted pass for two points.
    """
    rng, offence = field.rng, field.side(club)
    field.snap_kick("try", club, _TWO_POINT_SPOT)
    by_pass = field.chance(0.6)
    passer = offence.quarterback if by_pass else None
    player = offence.pick(rng, TARGETS if by_pass else CARRIERS)
    good = field.chance(0.48)
    field.tape.record(
        Conversion(
            team=club, kind="pass" if by_pass else "rush", good=good, passer=passer, player=player
        )
    )
    if by_pass and not good and field.chance(0.12):
        thief = field.side(field.other(club)).pick(rng, BALL_HAWKS)
        field.tape.record(
            Conversion(
                team=field.other(club), side="defence", kind="return", good=True, player=thief
            )
        )
