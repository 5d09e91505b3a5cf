"""A player's accepted friends, cached in Redis until one of their friendships changes.

The cache key is `friend:{player}`, as the leaderboard platform's design names it. A stamp that a database trigger
raises ends the entry with the writer's commit (app/core/stamps.py), and no entry is older than half a minute.
"""

from __future__ import annotations

from typing import cast
from uuid import UUID

import redis
import structlog
from flask import current_app

from app.accounts import friends
from app.core import clock
from app.core.errors import one_line
from app.core.stamps import MEMORY_SECONDS, Memory, Stamps

log = structlog.get_logger(__name__)


def friends_of(me: UUID) -> list[UUID]:
    """Return the accepted friends by id, from PostgreSQL while Redis does not answer."""
    stamps = cast("Stamps", current_app.extensions["stamps"])
    key, now = f"friend:{me}", clock.to_ms(clock.now())
    try:
        cached = stamps.look(key, now)
        if not isinstance(cached, int):
            return [UUID(friend) for friend in cached.decode().split()]
        friend_ids = friends.friends_of(me)
        answer = " ".join(map(str, friend_ids))
        stamps.remember(key, Memory(cached, now + MEMORY_SECONDS * 1000, [f"friends:{me}"], answer))
    except redis.RedisError as error:
        log.warning("friends_not_cached", reason=one_line(error))
        return friends.friends_of(me)
    return friend_ids
