"""The version of a league's live pages, which is their ETag.

It is read in one statement, because open pages ask for it every second.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, text

from app.core import clock
from app.core.db import db
from app.core.page_cache.conditional_get import depends_on, disable_caching
from app.core.page_cache.values import cached_rows
from app.fantasy.gameweeks import catching_up
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league.page import is_over

# The versions of all gameweeks are added up, because a correction of an earlier gameweek moves the
# season's table.
_VERSION = """
    SELECT week.id AS gameweek, week.settled_at IS NOT NULL AS is_settled,
      (SELECT coalesce(sum(version), 0) FROM league_versions WHERE league_id = league.id) AS tables,
      (SELECT coalesce(sum(version), 0) FROM game_states state JOIN games
        ON games.id = state.game_id
        WHERE (games.competition, games.season, games.season_type, games.week) =
          (week.competition, week.season, week.season_type, week.week)) AS games,
      coalesce((SELECT game_statuses FROM league_versions
        WHERE league_id = league.id AND gameweek_id = week.id), '') AS statuses,
      EXISTS (SELECT FROM deferred_gameweeks d JOIN gameweeks w ON w.id = d.gameweek_id
        WHERE w.season_id = league.season_id AND d.version > coalesce((SELECT v.deferred_version
          FROM league_versions v WHERE (v.league_id, v.gameweek_id) = (league.id, d.gameweek_id)),
            0)) AS is_behind
"""
_FROM = "FROM leagues league JOIN gameweeks week ON week.season_id = league.season_id"
_OF_GAMEWEEK = text(f"{_VERSION} {_FROM} WHERE league.id = :league AND week.id = :gameweek")
# The same gameweek as seasons.current_gameweek, for the same viewers as queries.league_to_read or,
# for members only, queries.league_for_viewer.
_TO_READ = text(f"""{_VERSION}, league.id AS league,
      (SELECT min(deadline) FROM gameweeks WHERE season_id = league.season_id
        AND deadline > :now) AS next_deadline
    {_FROM} WHERE league.slug = :slug AND (league.is_public AND NOT :members_only OR EXISTS (
      SELECT FROM league_members WHERE league_id = league.id AND member_id = :member))
    ORDER BY week.deadline <= :now DESC, CASE WHEN week.deadline <= :now THEN -week.week
      ELSE week.week END LIMIT 1
""")  # noqa: S608 (made of our own words alone)


@dataclass(frozen=True)
class LeagueVersion:
    """The version of a league's table and of the games of a gameweek.

    Attributes:
        version: Changes whenever the table or one of the games does.
        is_over: Whether nothing will move any more.
    """

    version: str
    is_over: bool


def league_version(league_id: int, gameweek: GameweekRow) -> LeagueVersion:
    """Return the version of the league's table, after catching the table up.

    Read it before the content that it stands for, so that a page may be newer than its tag but
    never older. If a refresh keeps the table from being caught up, nothing of the request is
    cached.
    """
    values = {"league": league_id, "gameweek": gameweek.id}
    row = db.session.execute(_OF_GAMEWEEK, values).one()
    if row.is_behind:
        if not catching_up.league(league_id, clock.now()):
            disable_caching()
        row = db.session.execute(_OF_GAMEWEEK, values).one()
    return _version(row)


def shared_version(league_id: int, gameweek: GameweekRow) -> LeagueVersion:
    """Return what `league_version` does, from the page cache."""
    return cached_rows(
        f"league-version:{league_id}:{gameweek.id}",
        LeagueVersion,
        lambda: league_version(league_id, gameweek),
        version_tags(league_id, gameweek.id),
    )


def version_tags(league_id: int, gameweek_id: int) -> tuple[str, ...]:
    """Return the tags of the version of a league's table and of the games of a gameweek."""
    return f"league:{league_id}", f"table:{league_id}", "gameweeks", f"gameweek:{gameweek_id}"


def version_to_read(
    slug: str, member_id: int, now: datetime, *, members_only: bool
) -> LeagueVersion | None:
    """Return the version of the league at this address in its current gameweek, for a poll.

    A 304 that follows from it may be cached.

    Args:
        slug: The league's address.
        member_id: The viewer.
        now: Decides which gameweek is the current one.
        members_only: Whether only members may read it, even if the league is public.

    Returns:
        None if the viewer may not read it, or the season has no gameweek.
    """
    values = {"slug": slug, "member": member_id, "now": now, "members_only": members_only}
    row = db.session.execute(_TO_READ, values).one_or_none()
    if row is None:
        return None
    if row.is_behind:
        if not catching_up.league(row.league, now):
            return _version(row)
        row = db.session.execute(_TO_READ, values).one()
    depends_on(*version_tags(row.league, row.gameweek), expires_at=row.next_deadline)
    return _version(row)


def _version(row: Row[Any]) -> LeagueVersion:
    statuses = row.statuses.split(",") if row.statuses else ()
    return LeagueVersion(
        f"{row.gameweek}-{row.tables}-{row.games}", row.is_settled or is_over(statuses)
    )
