"""Kicks and tries. Each writes its snap and events and says how it ended.

Lives here: kickoff, free kick, onside kick, punt, field goal, extra point, two-point try.
Not here: which of them is chosen (calls.py). Kick lengths count from the line of scrimmage;
a field goal's and an extra point's as announced, with the end zone and the holder's seven yards.
"""

from __future__ import annotations

from typing import Literal

from app.demo.ball import carry, loose_ball
from app.demo.clubs import skill
from app.demo.field import Field, Result, flip
from app.demo.lineup import BALL_HAWKS, CARRIERS, COVERAGE, RETURNERS, RUSHERS, TARGETS
from app.record.events import Conversion, Kick, Recovery

_EXTRA_POINT_SPOT = 85
_TWO_POINT_SPOT = 98

Landing = Literal["returned", "touchback", "fair_catch", "downed", "out_of_bounds", "recovered"]


def kickoff(field: Field, club: str) -> Result:
    """`club` kicks off from its 35."""
    rng, kicker, receivers = field.rng, field.side(club).first("K"), field.other(club)
    field.snap_kick("kickoff", club, 35)
    fate = rng.random()
    if fate < 0.57:
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
    if fate < 0.58:
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
    """A short kick that `club` hopes to recover: one in eight."""
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
    """After a safety, `club` punts the ball away from its own 20."""
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
    """`club` returns a kick fielded at `at`; some returns break open."""
    returner = field.side(club).pick(field.rng, RETURNERS)
    if field.chance(0.035):
        gain += 5 + round(field.rng.expovariate(1 / 32))
    return carry(field, club, returner, "return", at, max(0 if at else 5, gain), seconds)


def punt(field: Field) -> Result:
    """Fourth down given away: returned, fair catch, downed, out of bounds, touchback, blocked or
    muffed.
    """
    rng, receivers, spot = field.rng, field.defence, field.spot
    punter = field.offence.first("P")
    field.kicking = True
    if field.chance(0.006):
        return _blocked(field, "punt", punter, max(1, spot - rng.randint(4, 10)))
    length = max(22, min(68, round(rng.gauss(46 + skill(punter or ""), 7))))
    if spot + length > 95 and field.chance(0.6):
        length = rng.randint(max(15, 86 - spot), max(16, 96 - spot))  # dropped short on purpose
    seconds = rng.randint(5, 9)
    if spot + length >= 100:
        _punted(field, punter, "touchback", 100 - spot)
        return Result(receivers.club.id, 20, seconds, stopped=True)
    at = flip(spot + length)
    fate = rng.random()
    if at >= 12 and fate < 0.49:
        _punted(field, punter, "returned", length)
        return _bring_back(field, receivers.club.id, at, round(rng.gauss(8, 5)), seconds + 3)
    if at >= 12 and fate < 0.51:
        returner = receivers.pick(rng, RETURNERS)
        _punted(field, punter, "recovered", length)
        muffed = loose_ball(field, receivers.club.id, returner, at, seconds + 2)
        return Result(muffed.club, muffed.spot, muffed.seconds, True, muffed.scored)
    _punted(
        field,
        punter,
        "fair_catch" if fate < 0.76 else "downed" if fate < 0.9 else "out_of_bounds",
        length,
    )
    return Result(receivers.club.id, at, seconds, stopped=True)


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
    """The kick is knocked down.

    The defence picks it up at `at` (the kickers' view), and may run with it.
    """
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
        return carry(
            field,
            defence.club.id,
            finder,
            "after_recovery",
            flip(at),
            round(rng.expovariate(1 / 18)),
            9,
        )
    return Result(defence.club.id, flip(at), 5, stopped=True)


def field_goal(field: Field) -> Result:
    """From `length` yards: nearly sure to 30, two in three from 50.

    A miss gives the ball up at the kick.
    """
    club, kicker = field.possession, field.offence.first("K")
    length = 100 - field.spot + 17
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
    """The kick after a touchdown of `club`."""
    kicker, defence = field.side(club).first("K"), field.side(field.other(club))
    field.snap_kick("try", club, _EXTRA_POINT_SPOT)
    fate = field.rng.random()
    blocked = fate > 0.99
    field.tape.record(
        Kick(
            team=club,
            kicker=kicker,
            kind="extra_point",
            result="blocked"
            if blocked
            else "good"
            if fate < 0.94 + 0.01 * skill(kicker or "")
            else "missed",
            start_yard=_EXTRA_POINT_SPOT,
            distance=33,
            blocked_by=defence.pick(field.rng, RUSHERS) if blocked else None,
            blocked_by_team=defence.club.id if blocked else None,
        )
    )


def two_point(field: Field, club: str) -> None:
    """A try for two by `club`: a pass or a run.

    An intercepted pass can come back for two of the defence.
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
