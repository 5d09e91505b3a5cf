"""From a body on the wire to its row in the play tables: the one place where their names meet.

Pure. Bodies without a table of their own (periods, timeouts, game ends) live in `events` alone.
"""

from __future__ import annotations

from typing import Any

from app.record import events as ev
from app.record.play_tables import (
    ChallengeRow,
    ConversionRow,
    CreditRow,
    KickRow,
    PassRow,
    PenaltyRow,
    Play,
    RunRow,
    SackRow,
    SafetyRow,
    TackleRow,
    TurnoverRow,
)
from app.record.rules.game_clock import game_seconds_played


def row_of(body: ev.Body, recorded_at: int) -> tuple[Any, dict[str, Any]] | None:
    """The table and the columns of its own (without key, play number and `valid`), or None without a table."""
    match body:
        case ev.Snap():
            return Play, {
                "start_timestamp": recorded_at,
                "game_seconds_played": game_seconds_played(body.period, body.clock),
                "possession": body.possession,
                "field_position": body.spot,
                "situation": body.situation,
                "period": body.period,
                "clock": body.clock,
                "down": body.down,
                "distance": body.distance,
            }
        case ev.Pass():
            return PassRow, {
                "team": body.team,
                "passer_id": body.passer,
                "receiver_id": body.receiver,
                "result": body.result,
                "throw_yard": body.throw_yard,
                "reception_yard": body.reception_yard,
                "is_touchdown": body.is_touchdown,
            }
        case ev.Run():
            return RunRow, {
                "team": body.team,
                "player_id": body.player,
                "kind": body.kind,
                "start_yard": body.start_yard,
                "end_yard": body.end_yard,
                "is_rush": body.is_rush,
                "is_touchdown": body.is_touchdown,
            }
        case ev.Sack():
            halves = (*body.by, None, None)
            return SackRow, {
                "team": body.team,
                "player_id": body.player,
                "start_yard": body.start_yard,
                "end_yard": body.end_yard,
                "by_team": body.by_team,
                "is_shared": len(body.by) == 2,
                "half_1_id": halves[0],
                "half_2_id": halves[1],
            }
        case ev.Tackle():
            return TackleRow, {
                "team": body.team,
                "tackler_id": body.tackler,
                "tackled_id": body.tackled,
                "kind": body.kind,
                "field_position": body.yard,
            }
        case ev.Fumble():
            return TurnoverRow, _turnover("fumble", body) | {
                "forced_by_id": body.forced_by,
                "out_of_bounds": body.out_of_bounds,
            }
        case ev.Recovery():
            return TurnoverRow, _turnover("recovery", body) | {"is_touchdown": body.is_touchdown}
        case ev.Interception():
            return TurnoverRow, _turnover("interception", body) | {"is_touchdown": body.is_touchdown}
        case ev.Kick():
            return KickRow, {
                "team": body.team,
                "kicker_id": body.kicker,
                "kind": body.kind,
                "result": body.result,
                "start_yard": body.start_yard,
                "distance": body.distance,
                "blocked_by_id": body.blocked_by,
            }
        case ev.Conversion():
            return ConversionRow, {
                "team": body.team,
                "side": body.side,
                "kind": body.kind,
                "good": body.good,
                "passer_id": body.passer,
                "player_id": body.player,
            }
        case ev.Safety():
            return SafetyRow, {"team": body.team, "player_id": body.player, "points": body.points}
        case ev.Credit():
            return CreditRow, {"team": body.team, "player_id": body.player, "kind": body.kind}
        case ev.Penalty():
            return PenaltyRow, {
                "team": body.team,
                "player_id": body.player,
                "foul": body.foul,
                "yards": body.yards,
                "status": body.status,
                "outcome": body.outcome,
                "enforcement_yard": body.enforcement_yard,
            }
        case ev.Challenge():
            return ChallengeRow, {"by": body.by, "ruling": body.ruling, "reason": body.reason}
        case _:
            return None


def _turnover(kind: str, body: ev.Fumble | ev.Recovery | ev.Interception) -> dict[str, Any]:
    return {
        "kind": kind,
        "team": body.team,
        "player_id": body.player,
        "yard": body.yard,
        "forced_by_id": None,
        "out_of_bounds": False,
        "is_touchdown": False,
    }
