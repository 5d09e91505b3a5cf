"""Writes rows of a deferred gameweek when somebody reads them (decision 54).

A page calls this before it reads a league or a gamer. A league is written whole, a large one
(standings/large_table.py) only for the members that the page shows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import redis
import structlog
from sqlalchemy import TextClause, text

from app.core.db import db
from app.core.errors import one_line
from app.core.postgres.advisory_locks import Lock
from app.fantasy.engine import sheet_points
from app.fantasy.engine.sheet_points import Selection
from app.fantasy.market.models import Gameweek
from app.fantasy.standings import large_table, league_scores, places, versions
from app.fantasy.standings.boards import publish_changes
from app.fantasy.standings.league_scores import Moved

log = structlog.get_logger(__name__)

SLICE = 1_000  # members of a large league written in one transaction


class _Behind(NamedTuple):
    """A league whose rows show less than the gameweek's footballers count."""

    league_id: int
    gameweek_id: int
    season_id: int
    is_large: bool


_BEHIND = f"""
    SELECT l.id, w.id, l.season_id, {large_table.IS_LARGE}
    FROM leagues l JOIN gameweeks w ON w.season_id = l.season_id AND w.week >= l.first_week
    JOIN deferred_gameweeks d ON d.gameweek_id = w.id
    LEFT JOIN league_versions v ON (v.league_id, v.gameweek_id) = (l.id, w.id)
    WHERE coalesce(v.deferred_version, 0) < d.version AND {{which}} ORDER BY l.id, w.id
"""  # noqa: S608 (made of our own words alone)
_NAMED = text(_BEHIND.format(which="l.slug = :slug"))
_ONE = text(_BEHIND.format(which="l.id = :league"))
_OF_MEMBER = text(
    _BEHIND.format(
        which="l.id IN (SELECT m.league_id FROM league_members m WHERE m.member_id = :member)"
    )
)

# A refresh and a settlement lock the gameweek exclusively, and readers do not wait for them.
_HOLD = text("SELECT pg_try_advisory_xact_lock_shared(:lock, :gameweek)")
_ALONE = text("SELECT pg_advisory_xact_lock(:lock, :league)")
_VERSION = text(
    "SELECT version, game_statuses FROM deferred_gameweeks WHERE gameweek_id = :gameweek"
)
_NOTED = text("""
    INSERT INTO league_versions AS v (league_id, gameweek_id, version, game_statuses, updated_at,
      deferred_version)
    VALUES (:league, :gameweek, 1, :statuses, :now, :version)
    ON CONFLICT (league_id, gameweek_id) DO UPDATE SET deferred_version = excluded.deferred_version,
      version = v.version + (:moved OR v.game_statuses <> excluded.game_statuses)::int,
      updated_at = CASE WHEN :moved THEN excluded.updated_at ELSE v.updated_at END,
      game_statuses = excluded.game_statuses
    RETURNING v.version
""")
_SLICES = text("""
    SELECT array_agg(member_id) FROM (
      SELECT member_id, row_number() OVER (ORDER BY member_id) / :slice AS slice FROM league_members
      WHERE league_id = :league) m
    GROUP BY slice ORDER BY slice
""")
_SHEETS_OF = text(
    "SELECT id FROM team_sheets WHERE gameweek_id = :gameweek AND picks && CAST(:players AS text[])"
)


def league_named(slug: str, now: datetime, members: Collection[int] = ()) -> None:
    """Catch up the league at this address; if it is large, only these members.

    Commits if there was anything to do. Nothing is done during a refresh: the reader sees the table
    before it.
    """
    _catch_up_all(_NAMED, {"slug": slug}, members, now)


def league(league_id: int, now: datetime, members: Collection[int] = ()) -> bool:
    """As `league_named`.

    Returns:
        False during a refresh: what is read now must not be cached.
    """
    return _catch_up_all(_ONE, {"league": league_id}, members, now)[1]


def whole_league(league_id: int, now: datetime) -> None:
    """As `league`, but everybody in a large league too, some members at a time."""
    for behind in _behind(_ONE, {"league": league_id}):
        if not behind.is_large:
            _catch_up(behind, now)
            continue
        for members in db.session.scalars(_SLICES, {"league": league_id, "slice": SLICE}).all():
            _catch_up_members(behind, members)


def gamer(member_id: int, now: datetime) -> bool:
    """As `league_named`, for every league of the gamer; in large ones only the gamer.

    Returns:
        Whether any was behind.
    """
    return _catch_up_all(_OF_MEMBER, {"member": member_id}, [member_id], now)[0]


def _catch_up_all(
    statement: TextClause, values: Mapping[str, object], members: Collection[int], now: datetime
) -> tuple[bool, bool]:
    """Whether any league was behind, and whether all of them are caught up now."""
    all_behind = _behind(statement, values)
    done = [
        _catch_up_members(behind, members) if behind.is_large else _catch_up(behind, now)
        for behind in all_behind
    ]
    return bool(all_behind), all(done)


def _behind(statement: TextClause, values: Mapping[str, object]) -> list[_Behind]:
    return [_Behind(*row) for row in db.session.execute(statement, {**values, **large_table.LIMIT})]


def _catch_up(behind: _Behind, now: datetime) -> bool:
    if not db.session.scalar(_HOLD, {"lock": Lock.GAMEWEEK, "gameweek": behind.gameweek_id}):
        return False
    db.session.execute(_ALONE, {"lock": Lock.LEAGUE_ROWS, "league": behind.league_id})
    again = db.session.execute(_ONE, {"league": behind.league_id} | large_table.LIMIT).all()
    version = db.session.execute(_VERSION, {"gameweek": behind.gameweek_id}).one_or_none()
    if version is None or not any(row[1] == behind.gameweek_id for row in again):
        db.session.commit()  # somebody else caught up, or the gameweek was settled
        return True
    moved = _write(behind, None)
    values = {
        "league": behind.league_id,
        "gameweek": behind.gameweek_id,
        "version": version.version,
        "moved": bool(moved),
    }
    raised = db.session.execute(
        _NOTED, values | {"statuses": version.game_statuses, "now": now}
    ).scalar_one()
    db.session.commit()
    try:
        publish_changes(behind.gameweek_id, moved, {behind.league_id: raised})
    # It is read from PostgreSQL until a scheduled job publishes it.
    except redis.RedisError as error:
        log.warning("board_not_published", league_id=behind.league_id, reason=one_line(error))
    return True


def _catch_up_members(behind: _Behind, members: Collection[int]) -> bool:
    if not members:
        return True
    if not db.session.scalar(_HOLD, {"lock": Lock.GAMEWEEK, "gameweek": behind.gameweek_id}):
        return False
    _write(behind, members)
    db.session.commit()
    return True


def _write(behind: _Behind, members: Collection[int] | None) -> list[Moved]:
    sheet_points.rescore_selected(
        behind.gameweek_id, Selection(league_id=behind.league_id, members=members)
    )
    moved = league_scores.score_leagues(
        behind.gameweek_id, behind.season_id, [behind.league_id], members=members
    )
    places.stand((row.league_id, row.member_id) for row in moved)
    return moved


def write_owners(
    gameweek: Gameweek, players: Sequence[str], now: datetime, *, as_noted: bool = False
) -> list[Moved]:
    """Write the rows of everybody who owns one of these footballers.

    The caller commits, and has locked the gameweek.

    Args:
        gameweek: A deferred one.
        players: Ids of the footballers.
        now: The time of the tables' new versions.
        as_noted: By what footballers counted when that was last noted.

    Returns:
        What moved.
    """
    if not players:
        return []
    sheet_points.rescore_selected(gameweek.id, Selection(players), as_noted=as_noted)
    sheets = db.session.scalars(
        _SHEETS_OF, {"gameweek": gameweek.id, "players": list(players)}
    ).all()
    moved = league_scores.score_sheets(gameweek.id, gameweek.season_id, sheets)
    places.stand((row.league_id, row.member_id) for row in moved)
    versions.bump(
        gameweek.id, {row.league_id for row in moved}, versions.game_statuses(gameweek.id), now
    )
    return moved
