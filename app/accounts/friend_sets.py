"""A player's accepted friends, cached in Redis until one of their friendships changes.

The cache key is `friend:{player}`, as the leaderboard platform's design names it. A commit that
changes a friendship invalidates the entry (app/core/page_cache); no entry is older than half a
minute.
"""

from __future__ import annotations

from uuid import UUID

from app.accounts import friends
from app.core.page_cache.values import CachedValue, cached_value


def friends_of(me: UUID) -> list[UUID]:
    """Return the accepted friends by id, from PostgreSQL while Redis does not answer."""

    def load() -> CachedValue[list[UUID]]:
        return CachedValue(list(friends.friends_of(me)), [f"friends:{me}"])

    return cached_value(f"friend:{me}", list[UUID], load)
