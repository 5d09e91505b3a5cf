"""Kicks: from the credits of kickers and blockers to the kick, and to where the ball came down.

Lives here: kickoff, free kick, onside kick, punt, field goal, extra point. Not here: the way back
(chain.py).
"""

from __future__ import annotations

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
_ONSIDE = 20  # a kickoff no longer than this that nobody returned was meant to be recovered


def kick(field: Field, play: Play) -> bool:
    """Adds the play's kick; False when there was none."""
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


def _add(
    field: Field,
    play: Play,
    kicker: StatRow | None,
    kind: KickKind,
    result: KickResult,
    distance: int | None,
    blocker: StatRow | None = None,
) -> None:
    blocking_team = (blocker.team if blocker else play.other) if result == "blocked" else None
    field.add(
        ev.Kick(
            team=play.possession,
            kicker=kicker.player if kicker else None,
            kind=kind,
            result=result,
            start_yard=play.spot,
            distance=None if distance is None else max(-20, min(110, distance)),
            blocked_by=blocker.player if blocker and blocking_team else None,
            blocked_by_team=blocking_team,
            landed=play.landed if kind in ("kickoff", "free_kick") else None,
        )
    )


def _extra_point(field: Field, play: Play) -> None:
    row = play.first(*EXTRA_POINTS)
    results: dict[int, KickResult] = {72: "good", 73: "missed", 74: "blocked"}
    result = results.get(row.stat, "aborted") if row else "aborted"
    _add(field, play, row, "extra_point", result, play.try_distance, play.first(87))


def _field_goal(field: Field, play: Play) -> None:
    row = play.first(*FIELD_GOALS)
    results: dict[int, KickResult] = {70: "good", 69: "missed"}
    result = results.get(row.stat, "blocked") if row else "blocked"
    _add(field, play, row, "field_goal", result, row.yards if row else None, play.first(88))


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
    _add(
        field,
        play,
        play.first(2, 29, 30, 31, 32),
        "punt",
        result,
        length.yards if length else None,
        play.first(86),
    )
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
    kind: KickKind = "free_kick" if play.is_free_kick else "onside" if short else "kickoff"
    _add(
        field, play, play.first(41, 410, 42, 43, 44), kind, result, length.yards if length else None
    )
    _land(field, play, length)
    for row in play.all(*OWN_KICKOFF):
        recover(field, row.team, row.player, row.yards, scored=scores(row))


def _land(field: Field, play: Play, length: StatRow | None) -> None:
    """The ball comes down on the receivers' side."""
    field.land(play.other, flip(play.spot + (length.yards if length else 0)))
