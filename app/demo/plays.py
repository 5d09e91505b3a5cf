"""Plays from scrimmage that carry or throw the ball. Each writes its events and says how it ended.

Lives here: rush, dropback (throw, sack, scramble), kneel, spike. Not here: kicks (kicks.py),
choosing (calls.py). The numbers are tuned to the means of professional football: 4.3 yards a rush,
64 % of throws caught, 7 % of dropbacks sacked, 2.4 % of throws intercepted.
"""

from __future__ import annotations

from typing import Literal

from app.demo.ball import carry, loose_ball, tackle
from app.demo.clubs import skill
from app.demo.field import Field, Result, flip
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


def rush(field: Field) -> Result:
    """A designed run; now and then the ball is lost before it begins."""
    rng, offence = field.rng, field.offence
    if field.chance(0.006):
        return aborted_snap(field)
    edge = 0.5 * (offence.grade("OL", "RB") - field.defence.grade("DL", "LB"))
    gain = round(rng.gauss(3.55 + edge, 2.7))
    if field.chance(0.13):
        gain = max(gain, 2) + round(rng.expovariate(1 / 9))
    carrier = offence.pick(rng, CARRIERS)
    return carry(
        field, field.possession, carrier, "rush", field.spot, max(-6, gain), rng.randint(5, 8)
    )


def aborted_snap(field: Field) -> Result:
    """The quarterback fumbles the snap and recovers it."""
    passer = field.offence.quarterback
    at = max(1, field.spot - 4)
    field.tape.record(Fumble(team=field.possession, player=passer, yard=at))
    field.tape.record(Recovery(team=field.possession, player=passer, yard=at))
    return Result(field.possession, at, 5)


def dropback(field: Field) -> Result:
    """The quarterback goes back to throw: a sack, a scramble, or a throw."""
    rng, offence, defence = field.rng, field.offence, field.defence
    pressure = 0.064 + defence.style.blitz + 0.012 * (defence.grade("DL") - offence.grade("OL"))
    if field.chance(pressure):
        return sack(field)
    if field.chance(0.045):
        gain = max(-2, round(rng.gauss(6, 5)))
        return carry(
            field,
            field.possession,
            offence.quarterback,
            "scramble",
            field.spot,
            gain,
            rng.randint(5, 8),
        )
    return throw(field)


def throw(field: Field) -> Result:
    """A forward pass. The throw counts from the line of scrimmage, as official passing yards do."""
    rng, offence, defence = field.rng, field.offence, field.defence
    passer, receiver = offence.quarterback, offence.pick(rng, TARGETS)
    kind = rng.random()
    if kind < 0.66:
        air, caught, after = rng.randint(-4, 9), 0.75, 5.0
    elif kind < 0.88:
        air, caught, after = rng.randint(10, 19), 0.585, 3.6
    else:
        air, caught, after = rng.randint(20, 42), 0.36, 4.0
    aim = max(1, min(100, field.spot + air + round(offence.style.depth * rng.random())))
    if aim == 100:
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
            is_touchdown=result == "complete" and aim == 100,
        )
    )


def _hit(field: Field) -> None:
    rusher = field.defence.pick(field.rng, RUSHERS)
    field.tape.record(Credit(team=field.defence.club.id, player=rusher, kind="qb_hit"))


def _catch(field: Field, passer: str | None, receiver: str | None, at: int, after: int) -> Result:
    """The catch, and the yards after it; rarely the ball goes on backwards to a team mate."""
    rng, team = field.rng, field.possession
    seconds = rng.randint(5, 8)
    _record_pass(field, passer, receiver, "complete", at)
    if at == 100:
        return Result(team, 100, seconds, True, "touchdown")
    if field.chance(0.07):
        _hit(field)
    desperate = field.late and field.clock < 12 and field.margin < 0
    if field.chance(0.4 if desperate else 0.0012):
        hand_on = min(99, at + after)
        field.tape.record(
            Run(team=team, player=receiver, kind="after_catch", start_yard=at, end_yard=hand_on)
        )
        mate = field.offence.pick(rng, TARGETS, but=receiver)
        return carry(
            field, team, mate, "after_lateral", hand_on, round(rng.gauss(4, 5)), seconds + 4
        )
    if after == 0:
        tackle(field, team, receiver, at, DEEP, loss=at < field.spot)
        return Result(team, at, seconds)
    return carry(field, team, receiver, "after_catch", at, after, seconds)


def _interception(field: Field, passer: str | None, receiver: str | None, aim: int) -> Result:
    rng, taker = field.rng, field.defence
    hawk = taker.pick(rng, BALL_HAWKS)
    club, at = taker.club.id, flip(aim)
    _record_pass(field, passer, receiver, "intercepted", aim)
    field.tape.record(Interception(team=club, player=hawk, yard=at))
    field.tape.record(Credit(team=club, player=hawk, kind="pass_defended"))
    field.changed = True
    if at == 0:
        return Result(club, 20, 5, stopped=True)  # down in the own end zone: a touchback
    if field.chance(0.6):
        back = round(rng.expovariate(1 / (60 if field.chance(0.15) else 12)))
        return carry(field, club, hawk, "return", at, back, rng.randint(6, 12))
    return Result(club, at, 6, stopped=True)


def sack(field: Field) -> Result:
    """The passer is tackled behind the line by one player or by two; sometimes they fumble."""
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
        return loose_ball(field, team, passer, end, seconds, forced_by=first)
    kind: Literal["solo", "assist"] = "solo" if second is None else "assist"
    for sacker in by:
        field.tape.record(Tackle(team=club, tackler=sacker, tackled=passer, kind=kind, yard=end))
        field.tape.record(Credit(team=club, player=sacker, kind="tackle_for_loss"))
    if end == 0:
        field.tape.record(Safety(team=club, player=first))
        return Result(club, 20, seconds, True, "safety")
    return Result(team, end, seconds)


def kneel(field: Field) -> Result:
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
    field.tape.record(
        Pass(
            team=field.possession,
            passer=field.offence.quarterback,
            result="spike",
            throw_yard=field.spot,
        )
    )
    return Result(field.possession, field.spot, 1, stopped=True)
