"""What a league's live pages take as their ETag.

Reads only, in one statement: open pages ask for it every second.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Row, text

from app.core import clock
from app.core.db import db
from app.core.page_cache.conditional_get import depends_on, disable_caching
from app.fantasy.gameweeks import catching_up
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league.page import is_over

# A correction of an earlier gameweek moves the season's table: the versions of all gameweeks are
# added up.
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
# The gameweek as seasons.current_gameweek finds it; whoever standings.queries.league_to_read or,
# for members only, league_for_viewer lets in.
_TO_READ = text(f"""{_VERSION}, league.id AS league,
      (SELECT min(deadline) FROM gameweeks WHERE season_id = league.season_id
        AND deadline > :now) AS next_deadline
    {_FROM} WHERE league.slug = :slug AND (league.is_public AND NOT :members_only OR EXISTS (
      SELECT FROM league_members WHERE league_id = league.id AND member_id = :member))
    ORDER BY week.deadline <= :now DESC, CASE WHEN week.deadline <= :now THEN -week.week
      ELSE week.week END LIMIT 1
""")  # noqa: S608 (made of our own words alone)


def league_version(league_id: int, gameweek: GameweekRow) -> tuple[str, bool]:
    """Changes whenever the league's table or a game of the gameweek does; and whether all is over.

    Where a refresh keeps the table from being caught up nothing of the request is remembered.

    It is read before what it stands for: what is shown may be newer than its tag, never older.
    """
    given = {"league": league_id, "gameweek": gameweek.id}
    found = db.session.execute(_OF_GAMEWEEK, given).one()
    if found.is_behind:
        if not catching_up.league(league_id, clock.now()):
            disable_caching()
        found = db.session.execute(_OF_GAMEWEEK, given).one()
    return _of(found)


def version_to_read(
    slug: str, member_id: int, now: datetime, *, members_only: bool
) -> tuple[str, bool] | None:
    """`league_version` of the league at this address in its current gameweek, for a poll.

    Who may read it is asked with it. None where this member may not, and where the season has no
    gameweek. `members_only`: also of a public league. A 304 that follows from it may be remembered.
    """
    given = {"slug": slug, "member": member_id, "now": now, "members_only": members_only}
    found = db.session.execute(_TO_READ, given).one_or_none()
    if found is None:
        return None
    if found.is_behind:
        if not catching_up.league(found.league, now):
            return _of(found)
        found = db.session.execute(_TO_READ, given).one()
    league, gameweek = found.league, found.gameweek
    tags = (f"league:{league}", f"table:{league}", "gameweeks", f"gameweek:{gameweek}")
    depends_on(*tags, expires_at=found.next_deadline)
    return _of(found)


def _of(found: Row[Any]) -> tuple[str, bool]:
    over = found.is_settled or is_over(found.statuses.split(",") if found.statuses else ())
    return f"{found.gameweek}-{found.tables}-{found.games}", over
