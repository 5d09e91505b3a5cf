"""Versions of league tables, which pages use as their ETag. Only the caller commits."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, text

from app.core.db import db
from app.fantasy.engine.footballers import Touched
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.large_table import IS_LARGE, LIMIT

_STATUSES = text("""
    SELECT coalesce(string_agg(coalesce(s.status, 'scheduled'), ',' ORDER BY g.id), '')
    FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
    LEFT JOIN game_states s ON s.game_id = g.id
    WHERE w.id = :gameweek
""")


def game_statuses(gameweek_id: int) -> str:
    """The statuses of the gameweek's games by the games' ids, separated by commas."""
    return str(db.session.scalar(_STATUSES, {"gameweek": gameweek_id}))


# Large leagues get their next version when Redis has their table (gameweeks/large_tables.py).
_UNDER_OTHER_STATUSES = text(f"""
    SELECT l.id FROM leagues l JOIN gameweeks w ON w.id = :gameweek AND w.season_id = l.season_id
      AND w.week >= l.first_week
    LEFT JOIN league_versions v ON (v.league_id, v.gameweek_id) = (l.id, w.id)
    WHERE v.game_statuses IS DISTINCT FROM :statuses
      AND (w.settled_at IS NOT NULL OR NOT {IS_LARGE})
      AND (EXISTS (SELECT FROM league_scores s
          WHERE (s.league_id, s.gameweek_id) = (l.id, w.id))
        OR w.settled_at IS NULL AND EXISTS (SELECT FROM league_members m JOIN team_sheets t
          ON (t.member_id, t.team_rules_id, t.gameweek_id) = (m.member_id, l.team_rules_id, w.id)
          WHERE m.league_id = l.id))
""")  # noqa: S608 (made of our own words alone)


def under_other_statuses(gameweek: Gameweek, statuses: str) -> set[int]:
    """Leagues with points of the gameweek whose version has other statuses of the games."""
    values = {"gameweek": gameweek.id, "statuses": statuses, **LIMIT}
    return set(db.session.scalars(_UNDER_OTHER_STATUSES, values))


# Former members with a score are the league's history (live_scores.py).
_WITH_OWNERS = text(f"""
    SELECT DISTINCT l.id
    FROM team_sheets s JOIN (
      SELECT league_id, member_id FROM league_members
      UNION ALL SELECT league_id, member_id FROM league_scores WHERE gameweek_id = :gameweek
    ) who ON who.member_id = s.member_id
    JOIN leagues l ON (l.id, l.team_rules_id, l.rules) = (who.league_id, s.team_rules_id, :rules)
    JOIN team_rules r ON r.id = l.team_rules_id AND (r.postponed_games = 'played') = :counts_moved
    JOIN gameweeks w ON w.id = s.gameweek_id AND w.week >= l.first_week
    WHERE s.gameweek_id = :gameweek
      AND (CAST(:players AS text[]) IS NULL OR s.picks && CAST(:players AS text[]))
      AND NOT {IS_LARGE}
""")  # noqa: S608 (as above)


def with_owners(gameweek_id: int, touched: Touched) -> set[int]:
    """Leagues of a gameweek under way in which a sheet has one of these footballers.

    Large ones are left out.
    """
    leagues: set[int] = set()
    for (counts_moved, rules), players in touched.items():
        values = {
            "gameweek": gameweek_id,
            "counts_moved": counts_moved,
            "rules": rules,
            "players": None if players is None else list(players),
        }
        leagues.update(db.session.scalars(_WITH_OWNERS, values | LIMIT))
    return leagues


_BUMP = text("""
    INSERT INTO league_versions AS v (league_id, gameweek_id, version, game_statuses, updated_at)
    SELECT league_id, :gameweek, 1, :statuses, :now
    FROM unnest(CAST(:leagues AS bigint[])) AS l (league_id)
    ON CONFLICT (league_id, gameweek_id) DO UPDATE SET version = v.version + 1,
      game_statuses = excluded.game_statuses, updated_at = excluded.updated_at
    RETURNING league_id, version
""")


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
    values = {
        "gameweek": gameweek_id,
        "leagues": sorted(leagues),
        "statuses": statuses,
        "now": now,
    }
    if not values["leagues"]:
        return {}
    return dict((through or db.session).execute(_BUMP, values).all())
