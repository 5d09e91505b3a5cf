"""Counts in Redis how many scores of each player a trusted server sends; a repeat counts once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

import structlog

from app.core.clock import to_us
from app.core.redis.clients import RedisAway, jobs_redis, run_script

log = structlog.get_logger(__name__)

MOST_A_MINUTE = 60  # per player: as many as players may send themselves
MINUTE = 60
# KEYS: each score's player; ARGV: seconds to keep them, then each one's time and event.
# Returns each one's place among its player's.
_COUNT = """
local ranks = {}
for number, key in ipairs(KEYS) do
  local at, event = ARGV[2 * number], ARGV[2 * number + 1]
  redis.call('ZADD', key, 'NX', at, event)
  redis.call('EXPIRE', key, ARGV[1])
  ranks[number] = redis.call('ZRANK', key, event)
end
return ranks
"""


def above_limit(scores: Mapping[int, tuple[UUID, UUID]], now: datetime) -> dict[int, int]:
    """Find the scores (player, event) above MOST_A_MINUTE of their player in this minute.

    Returns their index with the seconds until the next minute. Without Redis it returns none,
    so scores are still accepted.
    """
    minute, at = int(now.timestamp()) // MINUTE, to_us(now)
    keys = [f"bulk:{player}:{minute}" for player, _ in scores.values()]
    named = [
        value
        for place, (_, event) in enumerate(scores.values())
        for value in (at + place, event.bytes)
    ]
    try:
        ranks = run_script(jobs_redis(), _COUNT, keys, [2 * MINUTE, *named]) if keys else []
    except RedisAway as error:
        log.warning("arrivals_not_counted", reason=type(error).__name__)
        return {}
    wait = max(1, math.ceil((minute + 1) * MINUTE - now.timestamp()))
    return {
        number: wait for number, rank in zip(scores, ranks, strict=True) if rank >= MOST_A_MINUTE
    }
