"""A carried or loose ball, in any kind of play: yards, tackles, fumbles, returns.

Lives here: the parts that plays.py and kicks.py share.
"""

from __future__ import annotations

from typing import Literal

from app.demo.field import Field, Result, flip
from app.demo.lineup import COVERAGE, DEEP, EVERYBODY, FRONT, Table
from app.record.events import Credit, Fumble, Recovery, Run, Safety, Tackle

Carry = Literal["rush", "scramble", "after_catch", "after_lateral", "return", "after_recovery"]

_FUMBLES = {
    "rush": 0.011,
    "scramble": 0.02,
    "after_catch": 0.012,
    "after_lateral": 0.03,
    "return": 0.014,
}


def pursuers(field: Field, team: str, kind: str = "") -> Table:
    """Who may tackle or strip a player of `team`: kick coverage, defenders, or the offence after a
    turnover.
    """
    if field.kicking:
        return COVERAGE
    if team != field.possession:
        return EVERYBODY
    return FRONT if kind in ("", "rush") else DEEP


def tackle(
    field: Field, team: str, tackled: str | None, yard: int, table: Table, *, loss: bool = False
) -> str | None:
    """Records a tackle at `yard`, solo or shared by two; returns the first tackler.

    `loss`: behind the line, so that each of them is credited with a tackle for loss.
    """
    by_team = field.other(team)
    first = field.side(by_team).pick(field.rng, table)
    if field.chance(0.004):
        first = None  # in the pile nobody could be named: the club is credited
    second = field.side(by_team).pick(field.rng, table, but=first)
    together = field.rng.random()
    kinds: tuple[Literal["solo", "primary", "assist"], ...] = ("assist", "assist")
    if together < 0.81 or first is None or second is None:
        kinds = ("solo",)
    elif together < 0.84:
        kinds = ("primary", "assist")
    for tackler, kind in zip((first, second), kinds, strict=False):
        field.tape.record(
            Tackle(team=by_team, tackler=tackler, tackled=tackled, kind=kind, yard=yard)
        )
        if loss:
            field.tape.record(Credit(team=by_team, player=tackler, kind="tackle_for_loss"))
    return first


def carry(
    field: Field, team: str, player: str | None, kind: Carry, start: int, gain: int, seconds: int
) -> Result:
    """`player` runs `gain` yards from `start`: to a touchdown, a tackle, the side line, a fumble or
    a safety.
    """
    end = min(100, start + gain)
    own_goal = end <= 0 and kind in ("rush", "scramble") and field.chance(0.5)
    end = max(0 if own_goal else 1, end)
    scored = end == 100
    field.tape.record(
        Run(
            team=team, player=player, kind=kind, start_yard=start, end_yard=end, is_touchdown=scored
        )
    )
    if scored:
        return Result(team, 100, seconds, True, "touchdown")
    table = pursuers(field, team, kind)
    if own_goal:
        tackler = tackle(field, team, player, 0, table, loss=True)
        field.tape.record(Safety(team=field.other(team), player=tackler))
        return Result(field.other(team), 20, seconds, True, "safety")
    if field.chance(_FUMBLES.get(kind, 0.01)):
        return loose_ball(field, team, player, end, seconds)
    if kind != "rush" and field.chance(0.14):
        return Result(team, end, seconds, stopped=True)  # ran out of bounds
    behind = team == field.possession and not field.changed and end < field.spot
    tackle(field, team, player, end, table, loss=behind)
    return Result(team, end, seconds)


def loose_ball(
    field: Field,
    team: str,
    player: str | None,
    yard: int,
    seconds: int,
    *,
    forced_by: str | None = None,
) -> Result:
    """`player` of `team` loses the ball at `yard`; somebody gets it, or it rolls out of bounds."""
    rng, taker = field.rng, field.other(team)
    if forced_by is None and field.chance(0.7):
        forced_by = field.side(taker).pick(rng, pursuers(field, team))
    out = yard > 0 and field.chance(0.08)
    field.tape.record(
        Fumble(
            team=team,
            player=player,
            yard=yard,
            forced_by=forced_by,
            forced_by_team=taker if forced_by else None,
            out_of_bounds=out,
        )
    )
    if out:
        return Result(team, yard, seconds, stopped=True)
    if yard > 0 and field.chance(0.5):
        mates = COVERAGE if field.kicking else EVERYBODY if team == field.possession else DEEP
        own = player if field.chance(0.4) else field.side(team).pick(rng, mates, but=player)
        field.tape.record(Recovery(team=team, player=own, yard=yard))
        return Result(team, yard, seconds + 2)
    field.changed = True
    finder = field.side(taker).pick(rng, pursuers(field, team))
    if yard <= 0:
        field.tape.record(Recovery(team=taker, player=finder, yard=100, is_touchdown=True))
        return Result(taker, 100, seconds + 1, True, "touchdown")
    at = max(1, min(99, flip(yard) + rng.randint(-2, 3)))
    field.tape.record(Recovery(team=taker, player=finder, yard=at))
    if field.chance(0.3):
        return carry(
            field, taker, finder, "after_recovery", at, round(rng.expovariate(1 / 12)), seconds + 4
        )
    return Result(taker, at, seconds + 2, stopped=True)
