"""Rate limits of the API: all limits of a call, and of concurrent calls, in one round trip.

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
from flask import current_app
from flask_limiter import RequestLimit
from limits import RateLimitItem, WindowStats, parse_many
from limits.storage import RedisStorage
from redis.exceptions import NoScriptError
from werkzeug.exceptions import TooManyRequests

from app.core.http.rate_limits import limiter
from app.core.request_batching import batched

log = structlog.get_logger(__name__)

# KEYS: a window each; ARGV: the moment, which of them is shown, then limit and seconds of each.
# Counts the call in each until one is full, as the moving window of `limits` does it. Gives how
# many took it, and of the one that is shown (the full one, where one is) its oldest entry that
# counts, and how many count.
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

    The narrowest of a kind first.
    """

    address: Sequence[RateLimitItem]
    caller: Sequence[RateLimitItem]

    @classmethod
    def of(cls, address: str, caller: str) -> CallLimits:
        """As flask-limiter spells them: "60 per minute;600 per hour"."""
        return cls(*(sorted(parse_many(one)) if one else () for one in (address, caller)))


class _Wanted(NamedTuple):
    """`shown`: the one, from 1, that the answer's headers are about."""

    now: float
    limits: tuple[tuple[RateLimitItem, str], ...]  # with the whole key
    shown: int


class _Counted(NamedTuple):
    done: int
    window: WindowStats


def count(limits: CallLimits, address: str, caller: str, scope: str) -> None:
    """Counts a call of `scope` against each limit until one is full.

    The answer's headers tell what is left.

    Raises TooManyRequests. With Redis away each process counts by itself.
    """
    named = [(item, (address, scope)) for item in limits.address] + [
        (item, (caller, scope)) for item in limits.caller
    ]
    if not named or not limiter.enabled:
        return
    shown = len(limits.address) + 1 if limits.caller else 1
    storage = limiter.storage
    counted: _Counted | None = None
    if isinstance(storage, RedisStorage) and limiter.limiter.storage is storage:
        keys = tuple((item, storage.prefixed_key(item.key_for(*who))) for item, who in named)
        try:
            counted = _count(_Wanted(time.time(), keys, shown))
        except redis.RedisError as error:
            log.warning("limits_redis_away", reason=type(error).__name__)
            limiter._storage_dead = True  # until flask-limiter finds it again
    done = counted.done if counted is not None else _count_here(named)
    item, who = named[done if done < len(named) else shown - 1]
    current = RequestLimit(limiter, item, list(who), done < len(named), shared=False)
    current._window = counted.window if counted is not None else None
    limiter.context.view_rate_limit = current
    limiter.context.view_rate_limits = [current]
    if current.breached:
        raise TooManyRequests(str(item))


def _count_here(named: Sequence[tuple[RateLimitItem, tuple[str, str]]]) -> int:
    """How many took it, in this process's memory."""
    for number, (item, who) in enumerate(named):
        if not limiter.limiter.hit(item, *who):
            return number
    return len(named)


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
        answer if isinstance(answer, Exception) else _counted(one, answer)
        for one, answer in zip(asked, answers, strict=True)
    ]


def _run(client: redis.Redis, asked: Sequence[_Wanted]) -> list[Any]:
    pipeline = client.pipeline(transaction=False)
    for one in asked:
        sizes = [number for item, _ in one.limits for number in (item.amount, item.get_expiry())]
        keys = [key for _, key in one.limits]
        pipeline.execute_command(
            "EVALSHA", _DIGEST, len(keys), *keys, repr(one.now), one.shown, *sizes
        )
    answers: list[Any] = pipeline.execute(raise_on_error=False)
    return answers


def _counted(one: _Wanted, answer: Any) -> _Counted:
    done, oldest, held = answer
    item, _ = one.limits[done if done < len(one.limits) else one.shown - 1]
    start = float(oldest) if oldest is not None else one.now
    return _Counted(done, WindowStats(start + item.get_expiry(), item.amount - held))


_count = batched(_count_all)
