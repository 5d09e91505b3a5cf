"""How long somebody waits before the next try to sign in, after failures. Successes are free.

Three counters of failures, each of which expires by itself:

- per account and place, for a day: 5 are free, then 2, 4, 8 seconds and so on, at most 15 minutes.
  The place is the device if the account has signed in on it before (a signed cookie says so),
  otherwise the address.
- per account, by strangers from all addresses, for an hour: 50 are free, then 2, 4, 8 ... at most
  60 seconds.
- per address, by strangers on all accounts, for an hour: 100 are free, then likewise at most 60
  seconds.

The longest wait counts. It runs from the last try of *this account at this place*: failures of
others make it longer, by a minute at most, but never restart it. Therefore nobody who guesses
passwords can lock out the owner of an account. On a known device the owner never notices; elsewhere
they wait a minute, once; only at the guesser's own address do both wait for each other's failures.
Somebody who knows no password gets 5 tries at an account and about 100 per day from one address,
and a few more from each further one. Sixty people at one address sign in without a wait, and so do
their neighbours who mistype.

A try counts as a failure from its beginning, and its success takes it back, so that a hundred
concurrent tries are a hundred. Unknown names count like known ones, so that they look the same.
Redis holds the counters; while it does not answer, each process allows ten tries per minute for an
account at a place.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv6Address, ip_address, ip_network

import structlog
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from app.core.redis.clients import RedisAway, jobs_redis

log = structlog.get_logger(__name__)

DAY, HOUR = 24 * 3600, 3600


@dataclass(frozen=True)
class Count:
    """A counter: `free` failures cost nothing, each further one doubles the wait.

    The wait is at most `longest` seconds; the counter expires after `seconds`.
    """

    free: int
    longest: int
    seconds: int


HERE = Count(free=5, longest=15 * 60, seconds=DAY)
ACCOUNT = Count(free=50, longest=60, seconds=HOUR)
ADDRESS = Count(free=100, longest=60, seconds=HOUR)
STRANGERS = (ACCOUNT, ADDRESS)

WITHOUT_REDIS = parse("10 per minute")
_without_redis = MovingWindowRateLimiter(MemoryStorage())

# Keys: the place (a hash: failures, last), then a number for each further counter. Arguments: now,
# then free, longest and seconds of each. Returns the seconds to wait, or 0 after counting the try.
_BEGIN = """
local now, wait = tonumber(ARGV[1]), 0
local function of(failures, i)
  local free, longest = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  if failures < free then return 0 end
  return math.min(longest, 2 ^ math.min(failures - free + 1, 30))
end
for i, key in ipairs(KEYS) do
  local failures = i == 1 and redis.call('HGET', key, 'failures') or i > 1 and redis.call('GET',
    key)
  wait = math.max(wait, of(tonumber(failures or 0) or 0, 2 + 3 * (i - 1)))
end
local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '')
if wait > 0 then
  if not last then
    redis.call('HSET', KEYS[1], 'last', now)
    redis.call('EXPIRE', KEYS[1], ARGV[4])
    last = now
  end
  if now < last + wait then return math.ceil(last + wait - now) end
end
redis.call('HSET', KEYS[1], 'last', now)
for i, key in ipairs(KEYS) do
  if i == 1 then redis.call('HINCRBY', key, 'failures', 1) else redis.call('INCR', key) end
  redis.call('EXPIRE', key, ARGV[4 + 3 * (i - 1)])
end
return 0
"""
_SUCCEED = """
redis.call('DEL', KEYS[1])
for i = 2, #KEYS do
  local failures = tonumber(redis.call('GET', KEYS[i]) or '0')
  if failures > 1 then redis.call('DECR', KEYS[i]) else redis.call('DEL', KEYS[i]) end
end
"""


@dataclass(frozen=True)
class Try:
    """A try to sign in; `device` is the id of a device that the account has used, or None."""

    username: str
    address: str
    device: str | None = None

    @property
    def keys(self) -> list[str]:
        """The Redis keys of the counters."""
        account, address = self.username.strip().lower(), network(self.address)
        here = [_key("here", account, self.device or address)]
        return here if self.device else [*here, _key("account", account), _key("address", address)]


def network(address: str) -> str:
    """Return what counts as one address: with IPv6 the /64, because it belongs to one customer.

    >>> network("192.0.2.7"), network("2001:db8:1:2:3::4")
    ('192.0.2.7', '2001:db8:1:2::/64')
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, 64), strict=False))
    return address


def begin(attempt: Try, now: datetime) -> int:
    """Begin a try, which counts as a failure until `succeed`.

    Returns:
        0 if the password may be checked, otherwise the seconds to wait.
    """
    arguments: list[float] = [now.timestamp()]
    for count in (HERE,) if attempt.device else (HERE, *STRANGERS):
        arguments += [count.free, count.longest, count.seconds]
    try:
        wait = int(jobs_redis().register_script(_BEGIN)(keys=attempt.keys, args=arguments))
    except RedisAway as error:
        log.warning("sign_in_uncounted", reason=type(error).__name__)
        wait = 0 if _without_redis.hit(WITHOUT_REDIS, attempt.keys[0]) else 60
    if wait:
        log.warning("sign_in_delayed", seconds=wait, address=attempt.address)
    return wait


def succeed(attempt: Try) -> None:
    """Note that the password was right.

    This clears the failures at this place, and takes the try back from the other counters.
    """
    try:
        jobs_redis().register_script(_SUCCEED)(keys=attempt.keys, args=[])
    except RedisAway as error:
        log.warning("sign_in_uncounted", reason=type(error).__name__)


def _key(kind: str, *parts: str) -> str:
    return f"pressbox:sign-in:{kind}:{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()}"
