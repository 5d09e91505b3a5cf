"""The season's table of a large league while a deferred gameweek is played: a sorted set in Redis,
best first.

Lives here: what is large, the keys, and reading. It is written after each play
(gameweeks/large_tables.py). What a reader gets rests on a version of the league; where Redis has
another one, or is away, PostgreSQL is read instead, whose rows then may be some plays behind.
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

# a league of more is large; a smaller one is written whole when somebody looks at it
MEMBERS = 1_000
LIMIT = {"large": MEMBERS}

# Of the league `l`. One number orders these alone: total points, where equals share a rank.
IS_LARGE = """(l.mode = 'total' AND l.ties = 'shared'
      AND EXISTS (SELECT FROM league_members x WHERE x.league_id = l.id OFFSET :large))"""

_SHOWN = text(f"""
    SELECT (SELECT coalesce(sum(version), 0) FROM league_versions WHERE league_id = l.id)
    FROM leagues l WHERE l.id = :league AND {IS_LARGE}
      AND EXISTS (SELECT FROM deferred_gameweeks d JOIN gameweeks w ON w.id = d.gameweek_id
        WHERE w.season_id = l.season_id AND w.week >= l.first_week)
""")  # noqa: S608 (made of our own words alone)


# what members are ordered by: points of the season, points of the gameweek
TOTALS, WEEK = "totals", "week"


def shown_key(league_id: int) -> str:
    """What the league's tables in Redis rest on."""
    return key_of(f"pressbox:{{table-{league_id}}}:shown")


def order_key(league_id: int, by: str) -> str:
    """Members by their points, the most first."""
    return key_of(f"pressbox:{{table-{league_id}}}:{by}")


def distinct_key(league_id: int, by: str) -> str:
    """Each number of points once, the most first."""
    return key_of(f"pressbox:{{table-{league_id}}}:{by}:distinct")


def name(member_id: int) -> str:
    """A member as an entry: equal points are ordered by these, as by ids."""
    return f"{member_id:019}"


@dataclass(frozen=True)
class LargeTable:
    """Members of the league but the hidden, by points (thousandths) of the season (TOTALS) or of
    the gameweek (WEEK), the most first, equal ones by id. Reading raises RedisAway.
    """

    league_id: int
    by: str

    def members(self, offset: int, limit: int) -> list[int]:
        """So many from this place on, counted from 0."""
        found: Any = boards_redis().zrange(
            order_key(self.league_id, self.by), offset, offset + limit - 1
        )
        return [int(one) for one in found]

    def position(self, member_id: int) -> int | None:
        """How many are before the member; None for who is not in it."""
        found: Any = boards_redis().zrank(order_key(self.league_id, self.by), name(member_id))
        return None if found is None else int(found)

    def ranks(self, points: Collection[int]) -> dict[int, Rank]:
        """The dense rank of who has these points, one more than there are different points
        above."""
        wanted = sorted(set(points))
        pipeline = boards_redis().pipeline(transaction=False)
        for one in wanted:
            pipeline.zcount(distinct_key(self.league_id, self.by), "-inf", f"({-one}")
            pipeline.zcount(order_key(self.league_id, self.by), -one, -one)
        found = pipeline.execute()
        return {
            one: Rank(1 + above, equals > 1)
            for one, above, equals in zip(wanted, found[::2], found[1::2], strict=True)
        }


def large_table(league_id: int, by: str = TOTALS) -> LargeTable | None:
    """None where PostgreSQL has the order: the league is not large, no gameweek of it is deferred,
    or Redis has not the league's version.
    """
    tables = db.session.scalar(_SHOWN, {"league": league_id} | LIMIT)
    if tables is None:
        return None
    try:
        shown: Any = boards_redis().get(shown_key(league_id))
    except RedisAway:
        return None
    # Written before the version that it makes: that one is committed in a moment.
    is_held = shown is not None and int(shown) in (int(tables), int(tables) + 1)
    return LargeTable(league_id, by) if is_held else None
