"""Reads the table of a large league while a gameweek is under way: a sorted set in Redis.

It is written after each play (gameweeks/large_tables.py) for a version of the league. If Redis has
another version or is away, readers use PostgreSQL, which has the order
of the last settled gameweek.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from app.core.db import db
from app.core.redis.clients import RedisAway, boards_redis
from app.core.restore_epoch import key_of
from app.fantasy.standings.ranking import Rank

# A league with more members is large; the table of a smaller one is worked out when it is shown.
MEMBERS = 1_000
LIMIT = {"large": MEMBERS}

# A condition on the league `l`. Only leagues that rank by total points, and in which equals share a
# rank, are ordered by a single number.
IS_LARGE = """(l.mode = 'total' AND l.ties = 'shared'
      AND EXISTS (SELECT FROM league_members x WHERE x.league_id = l.id OFFSET :large))"""

_SHOWN = text(f"""
    SELECT (SELECT coalesce(sum(version), 0) FROM league_versions WHERE league_id = l.id)
    FROM leagues l WHERE l.id = :league AND {IS_LARGE}
      AND EXISTS (SELECT FROM live_gameweeks d JOIN gameweeks w ON w.id = d.gameweek_id
        WHERE w.season_id = l.season_id AND w.week >= l.first_week)
""")  # noqa: S608 (made of our own words alone)


# What members are ordered by: points of the season, points of the gameweek.
TOTALS, WEEK = "totals", "week"


def shown_key(league_id: int) -> str:
    """The key of the version of the league's tables in Redis."""
    return key_of(f"pressbox:{{table-{league_id}}}:shown")


def order_key(league_id: int, by: str) -> str:
    """The key of the members by their points, the most first."""
    return key_of(f"pressbox:{{table-{league_id}}}:{by}")


def distinct_key(league_id: int, by: str) -> str:
    """The key of the distinct numbers of points, the most first."""
    return key_of(f"pressbox:{{table-{league_id}}}:{by}:distinct")


def name(member_id: int) -> str:
    """The name of a member in the sets; among equal points, names have the order of ids."""
    return f"{member_id:019}"


@dataclass(frozen=True)
class LargeTable:
    """The members of a league who are not hidden, the most points first, equal ones by id.

    `by`: points of the season (TOTALS) or of the gameweek (WEEK), in thousandths. Its methods raise
    RedisAway.
    """

    league_id: int
    by: str

    def points(self, offset: int, limit: int) -> dict[int, int]:
        """The points of at most `limit` members, by member, from place `offset` (from 0) on."""
        entries: Any = boards_redis().zrange(
            order_key(self.league_id, self.by), offset, offset + limit - 1, withscores=True
        )
        return {int(member): -int(score) for member, score in entries}

    def position(self, member_id: int) -> int | None:
        """How many members are ahead of this one; None if the member is not in the table."""
        position: Any = boards_redis().zrank(order_key(self.league_id, self.by), name(member_id))
        return None if position is None else int(position)

    def ranks(self, points: Collection[int]) -> dict[int, Rank]:
        """The dense rank of each of these numbers of points: one more than there are above it."""
        scores = sorted(set(points))
        pipeline = boards_redis().pipeline(transaction=False)
        for score in scores:
            pipeline.zcount(distinct_key(self.league_id, self.by), "-inf", f"({-score}")
            pipeline.zcount(order_key(self.league_id, self.by), -score, -score)
        counts = pipeline.execute()
        return {
            score: Rank(1 + above, equals > 1)
            for score, above, equals in zip(scores, counts[::2], counts[1::2], strict=True)
        }


def large_table(league_id: int, by: str = TOTALS) -> LargeTable | None:
    """The league's table in Redis; None if PostgreSQL has to be read.

    That is so if the league is not large, if none of its gameweeks is under way, or if Redis does
    not have the league's version.
    """
    tables = db.session.scalar(_SHOWN, {"league": league_id} | LIMIT)
    if tables is None:
        return None
    try:
        version: Any = boards_redis().get(shown_key(league_id))
    except RedisAway:
        return None
    # Redis is written before the version that it shows is committed, a moment later.
    is_current = version is not None and int(version) in (int(tables), int(tables) + 1)
    return LargeTable(league_id, by) if is_current else None


def large_rank(league_id: int, points: int, by: str = TOTALS) -> int | None:
    """The dense rank of so many points in the league's table in Redis; None as `large_table`."""
    table = large_table(league_id, by)
    try:
        return None if table is None else table.ranks([points])[points].rank
    except RedisAway:
        return None
