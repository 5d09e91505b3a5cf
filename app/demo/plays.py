"""Plays from scrimmage that carry or throw the ball; each records its events and its end.

Kicks are in kicks.py, the choice of the play in calls.py. The numbers are tuned to the means of
professional football: 4.3 yards per rush, 64 % of throws caught, 7 % of dropbacks sacked, 2.4 % of
throws intercepted.
"""

from __future__ import annotations

from typing import Literal

from app.demo.ball import BallCarrier, Carry, carry, loose_ball, tackle
from app.demo.clubs import skill
from app.demo.field import GOAL_LINE, Field, Result, flip
from app.demo.lineup import BALL_HAWKS, CARRIERS, DEEP, RUSHERS, TARGETS
from app.record.events import (
    Credit,
    Fumble,
    Interception,
    Pass,
    Recovery,
    Run,
    Sack,
    Safety,
    Tackle,
)

Thrown = Literal["complete", "incomplete", "intercepted"]

_SHORT_THROWS = 0.66  # shares of all throws
_SHORT_OR_MEDIUM_THROWS = 0.88
_LAST_PLAY_SECONDS = 12


def rush(field: Field) -> Result:
    """Run a designed play; now and then the ball is lost at the snap."""
    rng, offence = field.rng, field.offence
    if field.chance(0.006):
        return _aborted_snap(field)
    edge = 0.5 * (offence.grade("OL", "RB") - field.defence.grade("DL", "LB"))
    gain = round(rng.gauss(3.55 + edge, 2.7))
    if field.chance(0.13):
        gain = max(gain, 2) + round(rng.expovariate(1 / 9))
    carrier = offence.pick(rng, CARRIERS)
    seconds = rng.randint(5, 8)
    return carry(
        field,
        Carry(BallCarrier(field.possession, carrier), "rush", field.spot, max(-6, gain), seconds),
    )


def _aborted_snap(field: Field) -> Result:
    """Fumble the snap; the quarterback recovers it."""
    passer = field.offence.quarterback
    at = max(1, field.spot - 4)
    field.tape.record(Fumble(team=field.possession, player=passer, yard=at))
    field.tape.record(Recovery(team=field.possession, player=passer, yard=at))
    return Result(field.possession, at, 5)


def dropback(field: Field) -> Result:
    """Drop back to throw: a sack, a scramble, or a throw."""
    rng, offence, defence = field.rng, field.offence, field.defence
    pressure = 0.064 + defence.style.blitz + 0.012 * (defence.grade("DL") - offence.grade("OL"))
    if field.chance(pressure):
        return _sack(field)
    if field.chance(0.045):
        gain = max(-2, round(rng.gauss(6, 5)))
        carrier = BallCarrier(field.possession, offence.quarterback)
        return carry(field, Carry(carrier, "scramble", field.spot, gain, rng.randint(5, 8)))
    return _throw(field)


def _throw(field: Field) -> Result:
    """Throw a forward pass; its length counts from the line of scrimmage, as passing yards do."""
    rng, offence, defence = field.rng, field.offence, field.defence
    passer, receiver = offence.quarterback, offence.pick(rng, TARGETS)
    kind = rng.random()
    if kind < _SHORT_THROWS:
        air, caught, after = rng.randint(-4, 9), 0.75, 5.0
    elif kind < _SHORT_OR_MEDIUM_THROWS:
        air, caught, after = rng.randint(10, 19), 0.585, 3.6
    else:
        air, caught, after = rng.randint(20, 42), 0.36, 4.0
    aim = max(1, min(GOAL_LINE, field.spot + air + round(offence.style.depth * rng.random())))
    if aim == GOAL_LINE:
        caught -= 0.05
    edge = 0.03 * (skill(passer or "") + skill(receiver or "")) - 0.03 * defence.grade("CB", "S")
    if field.chance(caught + edge):
        return _catch(field, passer, receiver, aim, round(rng.expovariate(1 / after)))
    if field.chance(0.08 - 0.01 * skill(passer or "")):
        return _interception(field, passer, receiver, aim)
    _record_pass(field, passer, receiver, "incomplete", aim)
    if field.chance(0.36):
        hawk = defence.pick(rng, BALL_HAWKS)
        field.tape.record(Credit(team=defence.club.id, player=hawk, kind="pass_defended"))
    if field.chance(0.2):
        _hit(field)
    return Result(field.possession, field.spot, rng.randint(4, 7), stopped=True)


def _record_pass(
    field: Field, passer: str | None, receiver: str | None, result: Thrown, aim: int
) -> None:
    field.tape.record(
        Pass(
            team=field.possession,
            passer=passer,
            receiver=receiver,
            result=result,
            throw_yard=field.spot,
            reception_yard=aim,
            is_touchdown=result == "complete" and aim == GOAL_LINE,
        )
    )


def _hit(field: Field) -> None:
    rusher = field.defence.pick(field.rng, RUSHERS)
    field.tape.record(Credit(team=field.defence.club.id, player=rusher, kind="qb_hit"))


def _catch(field: Field, passer: str | None, receiver: str | None, at: int, after: int) -> Result:
    """Catch the ball and run on; rarely the receiver throws it back to a team mate."""
    rng, team = field.rng, field.possession
    seconds = rng.randint(5, 8)
    _record_pass(field, passer, receiver, "complete", at)
    if at == GOAL_LINE:
        return Result(team, GOAL_LINE, seconds, True, "touchdown")
    if field.chance(0.07):
        _hit(field)
    desperate = field.late and field.clock < _LAST_PLAY_SECONDS and field.margin < 0
    if field.chance(0.4 if desperate else 0.0012):
        hand_on = min(99, at + after)
        field.tape.record(
            Run(team=team, player=receiver, kind="after_catch", start_yard=at, end_yard=hand_on)
        )
        mate = field.offence.pick(rng, TARGETS, but=receiver)
        gain = round(rng.gauss(4, 5))
        return carry(
            field, Carry(BallCarrier(team, mate), "after_lateral", hand_on, gain, seconds + 4)
        )
    catcher = BallCarrier(team, receiver)
    if after == 0:
        tackle(field, catcher, at, DEEP, loss=at < field.spot)
        return Result(team, at, seconds)
    return carry(field, Carry(catcher, "after_catch", at, after, seconds))


def _interception(field: Field, passer: str | None, receiver: str | None, aim: int) -> Result:
    rng, taker = field.rng, field.defence
    hawk = taker.pick(rng, BALL_HAWKS)
    club, at = taker.club.id, flip(aim)
    _record_pass(field, passer, receiver, "intercepted", aim)
    field.tape.record(Interception(team=club, player=hawk, yard=at))
    field.tape.record(Credit(team=club, player=hawk, kind="pass_defended"))
    field.changed = True
    if at == 0:
        return Result(club, 20, 5, stopped=True)  # downed in their own end zone: a touchback
    if field.chance(0.6):
        gain = round(rng.expovariate(1 / (60 if field.chance(0.15) else 12)))
        return carry(field, Carry(BallCarrier(club, hawk), "return", at, gain, rng.randint(6, 12)))
    return Result(club, at, 6, stopped=True)


def _sack(field: Field) -> Result:
    """Tackle the passer behind the line, by one player or two; sometimes the passer fumbles."""
    rng, team, club = field.rng, field.possession, field.defence.club.id
    passer = field.offence.quarterback
    end = max(0, field.spot - rng.randint(3, 10))
    first = field.defence.pick(rng, RUSHERS)
    second = field.defence.pick(rng, RUSHERS, but=first) if field.chance(0.14) else None
    by = (first,) if second is None else (first, second)
    field.tape.record(
        Sack(team=team, player=passer, start_yard=field.spot, end_yard=end, by_team=club, by=by)
    )
    for sacker in by:
        field.tape.record(Credit(team=club, player=sacker, kind="qb_hit"))
    seconds = rng.randint(5, 8)
    if field.chance(0.1):
        return loose_ball(field, BallCarrier(team, passer), end, seconds, forced_by=first)
    kind: Literal["solo", "assist"] = "solo" if second is None else "assist"
    for sacker in by:
        field.tape.record(Tackle(team=club, tackler=sacker, tackled=passer, kind=kind, yard=end))
        field.tape.record(Credit(team=club, player=sacker, kind="tackle_for_loss"))
    if end == 0:
        field.tape.record(Safety(team=club, player=first))
        return Result(club, 20, seconds, True, "safety")
    return Result(team, end, seconds)


def kneel(field: Field) -> Result:
    """Kneel down a yard behind the line, so that the clock runs."""
    end = max(1, field.spot - 1)
    field.tape.record(
        Run(
            team=field.possession,
            player=field.offence.quarterback,
            kind="kneel",
            start_yard=field.spot,
            end_yard=end,
        )
    )
    return Result(field.possession, end, 2)


def spike(field: Field) -> Result:
    """Throw the ball into the ground, which stops the clock."""
    field.tape.record(
        Pass(
            team=field.possession,
            passer=field.offence.quarterback,
            result="spike",
            throw_yard=field.spot,
        )
    )
    return Result(field.possession, field.spot, 1, stopped=True)
