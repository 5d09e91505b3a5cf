"""Rate limits of the API: one round trip checks all limits of all concurrent calls.

The limiter, windows and keys are those of rate_limits.py. Called by app/api/operations.py.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from typing import Any, NamedTuple, cast

import redis
import structlog
from flask import current_app, request
from flask_limiter import RequestLimit
from limits import RateLimitItem, WindowStats, parse_many
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import MovingWindowRateLimiter
from redis.exceptions import NoScriptError
from werkzeug.exceptions import TooManyRequests

from app.core.http.rate_limits import limiter
from app.core.request_batching import batched

log = structlog.get_logger(__name__)

# KEYS: the windows. ARGV: the current time, the number of the reported window, then limit and
# seconds of each window.
# Counts the call in each window until one is full, like the moving window of `limits`. Returns the
# number of windows that counted the call. Of the reported window (the full one, if any) it also
# returns the oldest entry that still counts, and how many entries count.
_COUNT = """
local now, shown, done = tonumber(ARGV[1]), tonumber(ARGV[2]), #KEYS
for number, key in ipairs(KEYS) do
  local limit, seconds = tonumber(ARGV[2 * number + 1]), tonumber(ARGV[2 * number + 2])
  local last = redis.call('LINDEX', key, limit - 1)
  if last and tonumber(last) >= now - seconds then
    done, shown = number - 1, number
    break
  end
  redis.call('LPUSH', key, ARGV[1])
  redis.call('LTRIM', key, 0, limit - 1)
  redis.call('EXPIRE', key, seconds)
end
local key, limit = KEYS[shown], tonumber(ARGV[2 * shown + 1])
local since = now - tonumber(ARGV[2 * shown + 2])
local low, high, found = 0, redis.call('LLEN', key) - 1, -1
while low <= high do
  local middle = math.floor((low + high) / 2)
  if tonumber(redis.call('LINDEX', key, middle)) >= since then
    found, low = middle, middle + 1
  else
    high = middle - 1
  end
end
return {done, redis.call('LINDEX', key, found), found + 1}
"""
_DIGEST = sha1(_COUNT.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class CallLimits:
    """How often an operation may be called: from one address, and by one caller.

    The narrowest limit of each kind comes first.
    """

    address: Sequence[RateLimitItem]
    caller: Sequence[RateLimitItem]

    @classmethod
    def of(cls, address: str, caller: str) -> CallLimits:
        """Parse limits in the notation of flask-limiter: "60 per minute;600 per hour"."""
        return cls(*(sorted(parse_many(limits)) if limits else () for limits in (address, caller)))


class _Wanted(NamedTuple):
    """A call to count. `reported` is the number, from 1, of the limit that the headers describe."""

    now: float
    limits: tuple[tuple[RateLimitItem, str], ...]  # each with its full Redis key
    reported: int


class _Counted(NamedTuple):
    """A counted call: the first `done` limits allow it. `window` is that of the reported limit."""

    done: int
    window: WindowStats


class _CountedLimit(RequestLimit):
    """A limit whose window was read while counting, so that flask-limiter does not ask again."""

    counted: WindowStats

    @property
    def window(self) -> WindowStats:
        """The window that was counted."""
        return self.counted


_NamedLimits = Sequence[tuple[RateLimitItem, tuple[str, str]]]

REDIS_RETRY_SECONDS = 5.0  # after a failure, each process counts by itself for this long
_redis_retry_at = 0.0
_process_limiter = MovingWindowRateLimiter(MemoryStorage())


@limiter.request_filter
def _is_counted_here() -> bool:
    """Let flask-limiter skip operations of the API: it would look up that they have no limits."""
    return request.path.startswith("/v1/")


def count(limits: CallLimits, address: str, caller: str, scope: str) -> None:
    """Count a call of `scope` against each limit until one is full.

    The response's headers say how many calls are left. While Redis is unavailable, each process
    counts by itself.

    Raises:
        TooManyRequests: A limit is reached.
    """
    named = [(item, (address, scope)) for item in limits.address] + [
        (item, (caller, scope)) for item in limits.caller
    ]
    if not named or not limiter.enabled:
        return
    reported = len(limits.address) + 1 if limits.caller else 1
    counted = _count_in_redis(named, reported) or _count_in_process(named, reported)
    is_breached = counted.done < len(named)
    item, who = named[counted.done if is_breached else reported - 1]
    current = _CountedLimit(limiter, item, list(who), is_breached, shared=False)
    current.counted = counted.window
    limiter.context.view_rate_limit = current
    limiter.context.view_rate_limits = [current]
    if current.breached:
        raise TooManyRequests(str(item))


def _count_in_redis(named: _NamedLimits, reported: int) -> _Counted | None:
    """Count in Redis. Returns None if Redis is unavailable or does not hold the limits."""
    global _redis_retry_at
    storage = limiter.storage
    if not isinstance(storage, RedisStorage) or limiter.limiter.storage is not storage:
        return None
    if time.monotonic() < _redis_retry_at:
        return None
    keys = tuple((item, storage.prefixed_key(item.key_for(*who))) for item, who in named)
    try:
        return _count(_Wanted(time.time(), keys, reported))
    except redis.RedisError as error:
        log.warning("limits_redis_away", reason=type(error).__name__)
        _redis_retry_at = time.monotonic() + REDIS_RETRY_SECONDS
        return None


def _count_in_process(named: _NamedLimits, reported: int) -> _Counted:
    windows = _process_limiter
    if not isinstance(limiter.limiter.storage, RedisStorage):
        windows = cast("MovingWindowRateLimiter", limiter.limiter)
    done = 0
    while done < len(named) and windows.hit(named[done][0], *named[done][1]):
        done += 1
    item, who = named[done if done < len(named) else reported - 1]
    return _Counted(done, windows.get_window_stats(item, *who))


def _count_all(asked: Sequence[_Wanted]) -> list[_Counted | Exception]:
    client = cast("redis.Redis", current_app.extensions["redis"])
    answers = _run(client, asked)
    if any(isinstance(answer, NoScriptError) for answer in answers):
        client.script_load(_COUNT)
        missing = [
            number for number, answer in enumerate(answers) if isinstance(answer, NoScriptError)
        ]
        for number, answer in zip(
            missing, _run(client, [asked[number] for number in missing]), strict=True
        ):
            answers[number] = answer
    return [
        answer if isinstance(answer, Exception) else _counted(call, answer)
        for call, answer in zip(asked, answers, strict=True)
    ]


def _run(client: redis.Redis, asked: Sequence[_Wanted]) -> list[Any]:
    pipeline = client.pipeline(transaction=False)
    for call in asked:
        sizes = [number for item, _ in call.limits for number in (item.amount, item.get_expiry())]
        keys = [key for _, key in call.limits]
        pipeline.execute_command(
            "EVALSHA", _DIGEST, len(keys), *keys, repr(call.now), call.reported, *sizes
        )
    answers: list[Any] = pipeline.execute(raise_on_error=False)
    return answers


def _counted(call: _Wanted, answer: Any) -> _Counted:
    done, oldest, hits = answer
    item, _ = call.limits[done if done < len(call.limits) else call.reported - 1]
    start = float(oldest) if oldest is not None else call.now
    return _Counted(done, WindowStats(start + item.get_expiry(), item.amount - hits))


_count = batched(_count_all)
