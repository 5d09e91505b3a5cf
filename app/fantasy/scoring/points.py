"""Fantasy points of footballers from their stat lines, in thousandths: recomputed, never added to.

Ingestion calls this. The rules are in rules.py, team sheets in engine/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import delete, select

from app.core.db import db
from app.core.db.bulk_insert import insert_rows
from app.fantasy.engine import footballers
from app.fantasy.scoring.models import ImportedLine, PlayerPoints
from app.fantasy.scoring.rulebook import active_rules
from app.fantasy.scoring.rules import ScoringRules, points
from app.record.models import Footballer, StatLine
from app.record.totals import ChangedLines

Line = tuple[str, str, Mapping[str, int], Mapping[str, int]]  # game, player, stats, held


def store_player_points(changed: Sequence[ChangedLines], sport: str = "football") -> None:
    """Store the points of the changed stat lines under all rules of the sport.

    Every stat line has a row, even if it is worth 0 points: that is how team sheets know who
    played. Only the caller commits.
    """
    for game in changed:
        without_line = [player for player, stats in game.stats.items() if not stats]
        if without_line:
            db.session.execute(
                delete(PlayerPoints).where(
                    PlayerPoints.game_id == game.game_id, PlayerPoints.player_id.in_(without_line)
                )
            )
    lines = [
        (game.game_id, player, stats, game.held_stats.get(player, {}))
        for game in changed
        for player, stats in sorted(game.stats.items())
        if stats
    ]
    _store(lines, active_rules(sport))


def store_points_of(game_ids: Sequence[str], rules: ScoringRules) -> None:
    """Store everybody's points in these games under new rules. Only the caller commits."""
    recorded = select(StatLine.game_id, StatLine.player_id, StatLine.stats, StatLine.held)
    imported = select(ImportedLine.game_id, ImportedLine.player_id, ImportedLine.stats)
    lines: list[Line] = [*db.session.execute(recorded.where(StatLine.game_id.in_(game_ids)))]
    lines += [
        (*row, {}) for row in db.session.execute(imported.where(ImportedLine.game_id.in_(game_ids)))
    ]
    by_player = {line[:2]: line for line in lines if line[2]}
    _store(list(by_player.values()), [rules])


def forget_player_points(game_id: str) -> None:
    """Delete all points of the game, before its record is rebuilt. Only the caller commits.

    The refresh that follows adds up every sheet of its gameweek.
    """
    db.session.execute(delete(PlayerPoints).where(PlayerPoints.game_id == game_id))
    footballers.forget_of_game(game_id)


def point_changes(
    changed: Mapping[str, tuple[Mapping[str, int], Mapping[str, int]]], sport: str = "football"
) -> dict[str, dict[str, int]]:
    """What each player would gain if their statistics changed. Reads only.

    Args:
        changed: Statistics before and after, by player.
        sport: The sport whose rules count.

    Returns:
        Thousandths by scoring rules and player, without players whose points stay.
    """
    positions = _positions(list(changed))
    gains: dict[str, dict[str, int]] = {}
    for rules in active_rules(sport):
        for player, (before, after) in changed.items():
            position = positions.get(player, "")
            if gain := points(after, rules, position) - points(before, rules, position):
                gains.setdefault(rules.name, {})[player] = gain
    return gains


def _store(lines: Sequence[Line], rulebook: Iterable[ScoringRules]) -> None:
    rulebook = list(rulebook)
    positions = (
        _positions([line[1] for line in lines]) if any(rules.steps for rules in rulebook) else {}
    )
    rows: list[dict[str, Any]] = [
        {
            "game_id": game_id,
            "player_id": player,
            "rules": rules.name,
            "points": points(stats, rules, positions.get(player, "")),
            "held": points(held_stats, rules, positions.get(player, "")) if held_stats else 0,
        }
        for game_id, player, stats, held_stats in lines
        for rules in rulebook
    ]
    insert_rows(PlayerPoints, rows, key=("game_id", "player_id", "rules"))


def _positions(players: Sequence[str]) -> dict[str, str]:
    rows = db.session.execute(
        select(Footballer.id, Footballer.position).where(Footballer.id.in_(players))
    )
    return dict(rows.all())
