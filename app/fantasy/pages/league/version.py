"""The version of a league's live pages, which is their ETag.

It is read in one statement, because open pages ask for it every second.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text

from app.core.db import db
from app.core.page_cache.values import CachedValue, cached_value
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league.page import is_over

# The versions of all gameweeks are added up, because a correction of an earlier gameweek moves the
# season's table.
_VERSION = text("""
    SELECT week.id AS gameweek, week.settled_at IS NOT NULL AS is_settled,
      (SELECT coalesce(sum(version), 0) FROM league_versions WHERE league_id = league.id) AS tables,
      (SELECT coalesce(sum(version), 0) FROM game_states state JOIN games
        ON games.id = state.game_id
        WHERE (games.competition, games.season, games.season_type, games.week) =
          (week.competition, week.season, week.season_type, week.week)) AS games,
      coalesce((SELECT game_statuses FROM league_versions
        WHERE league_id = league.id AND gameweek_id = week.id), '') AS statuses
    FROM leagues league JOIN gameweeks week ON week.season_id = league.season_id
    WHERE league.id = :league AND week.id = :gameweek
""")


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
    """Return the version of the league's table.

    Read it before the content that it stands for, so that a page may be newer than its tag but
    never older.
    """
    values = {"league": league_id, "gameweek": gameweek.id}
    row = db.session.execute(_VERSION, values).one()
    statuses = row.statuses.split(",") if row.statuses else ()
    return LeagueVersion(
        f"{row.gameweek}-{row.tables}-{row.games}", row.is_settled or is_over(statuses)
    )


def shared_version(league_id: int, gameweek: GameweekRow) -> LeagueVersion:
    """Return what `league_version` does, from the page cache."""
    tags = version_tags(league_id, gameweek.id)
    return cached_value(
        f"league-version:{league_id}:{gameweek.id}",
        LeagueVersion,
        lambda: CachedValue(league_version(league_id, gameweek), tags),
    )


def version_tags(league_id: int, gameweek_id: int) -> tuple[str, ...]:
    """Return the tags of the version of a league's table and of the games of a gameweek."""
    return f"league:{league_id}", f"table:{league_id}", "gameweeks", f"gameweek:{gameweek_id}"
