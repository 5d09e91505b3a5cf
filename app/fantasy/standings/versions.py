"""Versions of league tables, which pages use as their ETag. Only the caller commits."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.models import LeagueVersion

_STATUSES = text("""
    SELECT coalesce(string_agg(coalesce(s.status, 'scheduled'), ',' ORDER BY g.id), '')
    FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
    LEFT JOIN game_states s ON s.game_id = g.id
    WHERE w.id = :gameweek
""")


def game_statuses(gameweek_id: int) -> str:
    """The statuses of the gameweek's games by the games' ids, separated by commas."""
    return str(db.session.scalar(_STATUSES, {"gameweek": gameweek_id}))


def under_other_statuses(gameweek: Gameweek, statuses: str) -> set[int]:
    """Leagues with scores of the gameweek whose version has other statuses of the games."""
    leagues = db.session.scalars(
        text("""
            SELECT l.id FROM leagues l LEFT JOIN league_versions v ON v.league_id = l.id
              AND v.gameweek_id = :gameweek
            WHERE l.season_id = :season AND v.game_statuses IS DISTINCT FROM :statuses
              AND EXISTS (SELECT FROM league_scores s WHERE s.league_id = l.id
                AND s.gameweek_id = :gameweek)
        """),
        {"gameweek": gameweek.id, "season": gameweek.season_id, "statuses": statuses},
    )
    return set(leagues)


def bump(
    gameweek_id: int,
    leagues: Iterable[int],
    statuses: str,
    now: datetime,
    *,
    through: Connection | None = None,
) -> dict[int, int]:
    """Raise the version of each league's table.

    `through`: a connection to write with instead of the session.

    Returns:
        The new versions by league.
    """
    rows = [
        {
            "league_id": league,
            "gameweek_id": gameweek_id,
            "version": 1,
            "game_statuses": statuses,
            "updated_at": now,
        }
        for league in sorted(leagues)
    ]
    if not rows:
        return {}
    statement = insert(LeagueVersion)
    written = statement.on_conflict_do_update(
        index_elements=["league_id", "gameweek_id"],
        set_={
            "version": LeagueVersion.version + 1,
            "game_statuses": statement.excluded.game_statuses,
            "updated_at": statement.excluded.updated_at,
        },
    ).returning(LeagueVersion.league_id, LeagueVersion.version)
    return dict((through or db.session).execute(written, rows).all())
