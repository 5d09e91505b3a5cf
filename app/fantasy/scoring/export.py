"""Points and stat lines of a game as plain rows, for `pressbox points` and `pressbox stats`."""

from __future__ import annotations

from sqlalchemy import select

from app.core.db import db
from app.fantasy.amounts import decimal_points
from app.fantasy.scoring.models import PlayerPoints
from app.record.models import Footballer, StatLine
from app.record.rules.statistics import STATS
from app.record.rules.team_defence import is_defence

POINTS_COLUMNS = ["game_id", "player_id", "player_name", "team", "rules", "points"]
STATS_COLUMNS = [
    "game_id",
    "player_id",
    "player_name",
    "team",
    *("sacks_made" if s == "half_sacks" else s for s in STATS),
]


def points_rows(game_id: str, rules: str) -> list[list[str]]:
    """One row per player with a stat line, most points first, then by player id."""
    rows = db.session.execute(
        select(StatLine.player_id, Footballer.name, StatLine.team, PlayerPoints.points)
        .join(
            PlayerPoints,
            (PlayerPoints.game_id == StatLine.game_id)
            & (PlayerPoints.player_id == StatLine.player_id),
        )
        .outerjoin(Footballer, Footballer.id == StatLine.player_id)
        .where(StatLine.game_id == game_id, PlayerPoints.rules == rules)
        .order_by(PlayerPoints.points.desc(), StatLine.player_id)
    )
    return [
        [game_id, player, name or player, team, rules, decimal_points(points)]
        for player, name, team, points in rows
    ]


def stats_rows(game_id: str) -> list[list[str]]:
    """One row per player with a stat line, by club and player id, without D/STs.

    Sacks are counted in halves.
    """
    rows = db.session.execute(
        select(StatLine.player_id, Footballer.name, StatLine.team, StatLine.stats)
        .outerjoin(Footballer, Footballer.id == StatLine.player_id)
        .where(StatLine.game_id == game_id)
        .order_by(StatLine.team, StatLine.player_id)
    )
    return [
        [
            game_id,
            player,
            name or player,
            team,
            *(_cell(stat, stats.get(stat, 0)) for stat in STATS),
        ]
        for player, name, team, stats in rows
        if not is_defence(player)
    ]


def _cell(stat: str, amount: int) -> str:
    if stat != "half_sacks":
        return str(amount)
    return f"{amount // 2}.{'5' if amount % 2 else '0'}"
