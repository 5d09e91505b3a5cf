"""Turns the credits of kickers and blockers into kicks, and computes where the ball came down.

Returns are in chain.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.record import events as ev
from app.record.play_by_play.field import Field, flip, recover
from app.record.play_by_play.playstats import StatRow
from app.record.play_by_play.stat_ids import (
    EXTRA_POINTS,
    FIELD_GOALS,
    KICK_RETURNS,
    KICKOFFS,
    OWN_KICKOFF,
    PUNT_RETURNS,
    PUNTS,
    Play,
    scores,
)

KickKind = Literal["kickoff", "onside", "free_kick", "punt", "field_goal", "extra_point"]
KickResult = Literal[
    "good",
    "missed",
    "blocked",
    "aborted",
    "returned",
    "touchback",
    "fair_catch",
    "out_of_bounds",
    "downed",
    "recovered",
]
_ONSIDE = 20  # a kickoff of at most so many yards that nobody returned was an onside kick


def kick(field: Field, play: Play) -> bool:
    """Add the play's kick; False if there was none."""
    if play.has(EXTRA_POINTS):
        _extra_point(field, play)
    elif play.has(FIELD_GOALS):
        _field_goal(field, play)
    elif play.has(KICKOFFS):
        _kickoff(field, play)
    elif play.has(PUNTS):
        _punt(field, play)
    else:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Kick:
    """A kick as the credits describe it."""

    kind: KickKind
    result: KickResult
    kicker: StatRow | None
    distance: int | None
    blocker: StatRow | None = None


def _add(field: Field, play: Play, kick: _Kick) -> None:
    blocker = kick.blocker
    blocking_team = None
    if kick.result == "blocked":
        blocking_team = blocker.team if blocker else play.other
    field.add(
        ev.Kick(
            team=play.possession,
            kicker=kick.kicker.player if kick.kicker else None,
            kind=kick.kind,
            result=kick.result,
            start_yard=play.spot,
            distance=None if kick.distance is None else max(-20, min(110, kick.distance)),
            blocked_by=blocker.player if blocker and blocking_team else None,
            blocked_by_team=blocking_team,
            landed=play.landed if kick.kind in ("kickoff", "free_kick") else None,
        )
    )


def _extra_point(field: Field, play: Play) -> None:
    row = play.first(*EXTRA_POINTS)
    results: dict[int, KickResult] = {72: "good", 73: "missed", 74: "blocked"}
    result = results.get(row.stat, "aborted") if row else "aborted"
    _add(field, play, _Kick("extra_point", result, row, play.try_distance, play.first(87)))


def _field_goal(field: Field, play: Play) -> None:
    row = play.first(*FIELD_GOALS)
    results: dict[int, KickResult] = {70: "good", 69: "missed"}
    result = results.get(row.stat, "blocked") if row else "blocked"
    distance = row.yards if row else None
    _add(field, play, _Kick("field_goal", result, row, distance, play.first(88)))


def _punt(field: Field, play: Play) -> None:
    length = play.first(29)
    result: KickResult = "recovered"
    if play.has((2, 86)):
        result = "blocked"
    elif play.has((32, 40)):
        result = "touchback"
    elif play.has((39,)):
        result = "fair_catch"
    elif play.has(PUNT_RETURNS):
        result = "returned"
    elif play.has((37,)):
        result = "out_of_bounds"
    elif play.has((38,)):
        result = "downed"
    punter = play.first(2, 29, 30, 31, 32)
    distance = length.yards if length else None
    _add(field, play, _Kick("punt", result, punter, distance, play.first(86)))
    if result != "blocked":
        _land(field, play, length)


def _kickoff(field: Field, play: Play) -> None:
    length = play.first(41) or play.first(43)  # 43: into the end zone
    result: KickResult = "recovered"
    if play.has((44, 51)):
        result = "touchback"
    elif play.has(KICK_RETURNS):
        result = "returned"
    elif play.has((50,)):
        result = "fair_catch"
    elif play.has((49,)):
        result = "out_of_bounds"
    elif play.has((102,)) or play.landed == "short":
        result = "downed"
    short = length is not None and length.yards <= _ONSIDE and result == "recovered"
    kind: KickKind = "onside" if short else "kickoff"
    if play.is_free_kick:
        kind = "free_kick"
    kicker = play.first(41, 410, 42, 43, 44)
    _add(field, play, _Kick(kind, result, kicker, length.yards if length else None))
    _land(field, play, length)
    for row in play.all(*OWN_KICKOFF):
        recover(field, row.team, row.player, row.yards, scored=scores(row))


def _land(field: Field, play: Play, length: StatRow | None) -> None:
    """Let the ball come down on the receivers' side."""
    field.land(play.other, flip(play.spot + (length.yards if length else 0)))
