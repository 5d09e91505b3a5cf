"""How many scores of each player a trusted server sends: counted in Redis, once a score however often it comes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

import structlog

from app.core.clock import to_us
from app.core.redis import RedisAway, jobs_redis

log = structlog.get_logger(__name__)

MOST_A_MINUTE = 60  # of a player, as many as they may send themselves
MINUTE = 60


def above_limit(scores: Mapping[int, tuple[UUID, UUID]], now: datetime) -> dict[int, int]:
    """Of these scores (player, event), in their order, those above MOST_A_MINUTE of their player in this minute of the
    clock: number to the seconds until the next minute. Without Redis none: scores are still taken in then."""
    minute, at = int(now.timestamp()) // MINUTE, to_us(now)
    pipeline = jobs_redis().pipeline(transaction=False)
    for place, (player, event) in enumerate(scores.values()):
        key = f"bulk:{player}:{minute}"
        pipeline.zadd(key, {event.bytes: at + place}, nx=True)
        pipeline.zrank(key, event.bytes)
        pipeline.expire(key, 2 * MINUTE)
    try:
        answers = pipeline.execute()
    except RedisAway as error:
        log.warning("arrivals_not_counted", reason=type(error).__name__)
        return {}
    wait = max(1, math.ceil((minute + 1) * MINUTE - now.timestamp()))
    return {number: wait for number, rank in zip(scores, answers[1::3], strict=True) if rank >= MOST_A_MINUTE}
