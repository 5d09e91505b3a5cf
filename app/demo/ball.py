"""A carried or loose ball in any kind of play: yards, tackles, fumbles, returns.

plays.py and kicks.py share these parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.demo.field import GOAL_LINE, Field, Result, flip
from app.demo.lineup import COVERAGE, DEEP, EVERYBODY, FRONT, Table
from app.record.events import Credit, Fumble, Recovery, Run, Safety, Tackle

CarryKind = Literal["rush", "scramble", "after_catch", "after_lateral", "return", "after_recovery"]

_SOLO_TACKLES = 0.81  # shares of all tackles; the rest is shared by two assists
_SOLO_OR_PRIMARY_TACKLES = 0.84

_FUMBLES = {
    "rush": 0.011,
    "scramble": 0.02,
    "after_catch": 0.012,
    "after_lateral": 0.03,
    "return": 0.014,
}


@dataclass(frozen=True, slots=True)
class BallCarrier:
    """The player of `team` who has the ball; None if nobody knows who it is."""

    team: str
    player: str | None


@dataclass(frozen=True, slots=True)
class Carry:
    """A run with the ball of `gain` yards from `start`; `seconds` is how long the play took."""

    carrier: BallCarrier
    kind: CarryKind
    start: int
    gain: int
    seconds: int


def pursuers(field: Field, team: str, kind: str = "") -> Table:
    """Return who may tackle or strip a player of `team`.

    That is the kick coverage, the defenders, or the offence after a turnover.
    """
    if field.kicking:
        return COVERAGE
    if team != field.possession:
        return EVERYBODY
    return FRONT if kind in ("", "rush") else DEEP


def tackle(
    field: Field, tackled: BallCarrier, yard: int, table: Table, *, loss: bool = False
) -> str | None:
    """Record a tackle at `yard`, solo or shared by two.

    Args:
        field: The game.
        tackled: Who is tackled.
        yard: Where, as the carrier's team counts it.
        table: Who may make the tackle.
        loss: Behind the line, so that each tackler is credited with a tackle for loss.

    Returns:
        The first tackler, or None if the club is credited.
    """
    by_team = field.other(tackled.team)
    first = field.side(by_team).pick(field.rng, table)
    if field.chance(0.004):
        first = None  # nobody could be made out in the pile: the club is credited
    second = field.side(by_team).pick(field.rng, table, but=first)
    together = field.rng.random()
    kinds: tuple[Literal["solo", "primary", "assist"], ...] = ("assist", "assist")
    if together < _SOLO_TACKLES or first is None or second is None:
        kinds = ("solo",)
    elif together < _SOLO_OR_PRIMARY_TACKLES:
        kinds = ("primary", "assist")
    for tackler, kind in zip((first, second), kinds, strict=False):
        field.tape.record(
            Tackle(team=by_team, tackler=tackler, tackled=tackled.player, kind=kind, yard=yard)
        )
        if loss:
            field.tape.record(Credit(team=by_team, player=tackler, kind="tackle_for_loss"))
    return first


def carry(field: Field, run: Carry) -> Result:
    """Carry the ball: to a touchdown, a tackle, the side line, a fumble or a safety."""
    team, player = run.carrier.team, run.carrier.player
    end = min(GOAL_LINE, run.start + run.gain)
    in_own_end_zone = end <= 0 and run.kind in ("rush", "scramble") and field.chance(0.5)
    end = max(0 if in_own_end_zone else 1, end)
    scored = end == GOAL_LINE
    field.tape.record(
        Run(
            team=team,
            player=player,
            kind=run.kind,
            start_yard=run.start,
            end_yard=end,
            is_touchdown=scored,
        )
    )
    if scored:
        return Result(team, GOAL_LINE, run.seconds, True, "touchdown")
    table = pursuers(field, team, run.kind)
    if in_own_end_zone:
        tackler = tackle(field, run.carrier, 0, table, loss=True)
        field.tape.record(Safety(team=field.other(team), player=tackler))
        return Result(field.other(team), 20, run.seconds, True, "safety")
    if field.chance(_FUMBLES.get(run.kind, 0.01)):
        return loose_ball(field, run.carrier, end, run.seconds)
    if run.kind != "rush" and field.chance(0.14):
        return Result(team, end, run.seconds, stopped=True)  # ran out of bounds
    behind_the_line = team == field.possession and not field.changed and end < field.spot
    tackle(field, run.carrier, end, table, loss=behind_the_line)
    return Result(team, end, run.seconds)


def loose_ball(
    field: Field, loser: BallCarrier, yard: int, seconds: int, *, forced_by: str | None = None
) -> Result:
    """Lose the ball at `yard`; somebody recovers it, or it rolls out of bounds.

    Args:
        field: The game.
        loser: Who loses the ball.
        yard: Where, as the loser's team counts it.
        seconds: How long the play took until then.
        forced_by: The opponent who knocked the ball loose; None: drawn, or nobody did.
    """
    rng, taker = field.rng, field.other(loser.team)
    if forced_by is None and field.chance(0.7):
        forced_by = field.side(taker).pick(rng, pursuers(field, loser.team))
    out = yard > 0 and field.chance(0.08)
    field.tape.record(
        Fumble(
            team=loser.team,
            player=loser.player,
            yard=yard,
            forced_by=forced_by,
            forced_by_team=taker if forced_by else None,
            out_of_bounds=out,
        )
    )
    if out:
        return Result(loser.team, yard, seconds, stopped=True)
    if yard > 0 and field.chance(0.5):
        _recover_own_fumble(field, loser, yard)
        return Result(loser.team, yard, seconds + 2)
    field.changed = True
    finder = field.side(taker).pick(rng, pursuers(field, loser.team))
    if yard <= 0:
        field.tape.record(Recovery(team=taker, player=finder, yard=GOAL_LINE, is_touchdown=True))
        return Result(taker, GOAL_LINE, seconds + 1, True, "touchdown")
    at = max(1, min(99, flip(yard) + rng.randint(-2, 3)))
    field.tape.record(Recovery(team=taker, player=finder, yard=at))
    if field.chance(0.3):
        gain = round(rng.expovariate(1 / 12))
        return carry(
            field, Carry(BallCarrier(taker, finder), "after_recovery", at, gain, seconds + 4)
        )
    return Result(taker, at, seconds + 2, stopped=True)


def _recover_own_fumble(field: Field, loser: BallCarrier, yard: int) -> None:
    if field.kicking:
        mates = COVERAGE
    elif loser.team == field.possession:
        mates = EVERYBODY
    else:
        mates = DEEP
    recoverer = loser.player
    if not field.chance(0.4):
        recoverer = field.side(loser.team).pick(field.rng, mates, but=loser.player)
    field.tape.record(Recovery(team=loser.team, player=recoverer, yard=yard))
