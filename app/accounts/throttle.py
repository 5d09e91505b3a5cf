"""How long somebody waits before the next try to sign in, after failures. Successes are free.

Three counts of failures, each forgotten by itself:

- of the account at one place, for a day: 5 are free, then 2, 4, 8 seconds and so on, at most 15
  minutes. The place is the device, where this account has signed in on it before (a signed cookie
  says so), else the address.
- of the account by strangers, from all addresses, for an hour: 50 are free, then 2, 4, 8 ... at
  most 60 seconds.
- of the address on all accounts by strangers, for an hour: 100 are free, then likewise at most 60
  seconds.

The longest wait counts, and it runs from the last try of *this account at this place*: what others
do makes it longer, by a minute at most, but never starts it again. So whoever guesses at an account
cannot lock its owner out: on a known device the owner never notices; elsewhere the owner waits a
minute, once; only at the guesser's own address do both wait for each other's failures. Somebody who
knows no password gets 5 tries and about 100 a day at an account from one address, and a few more
from each further one. Sixty people at one address sign in without a wait, and so do their
neighbours who mistype.

A try counts as a failure from its beginning and is taken back by its success, so that a hundred at
the same moment are a hundred. Unknown names count like known ones, so nothing tells them apart.
Redis holds the counts; while it is away each process allows ten tries a minute for an account at a
place.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address, ip_network

import structlog
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from app.core.redis.clients import RedisAway, jobs_redis

log = structlog.get_logger(__name__)

DAY, HOUR = 24 * 3600, 3600


@dataclass(frozen=True)
class Count:
    """`free` failures cost nothing; each further one doubles the wait, up to `longest` seconds.

    Kept for `seconds`.
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

# Keys: the place (a hash: failures, last), then one number for each further count. Arguments: now,
# then free, longest and seconds of each. Gives the seconds to wait, or 0 after counting the try.
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
    """One try to sign in.

    `device`: the id of a device that this account has signed in on before, else None.
    """

    username: str
    address: str
    device: str | None = None

    @property
    def keys(self) -> list[str]:
        """The Redis keys of the counts."""
        account, address = self.username.strip().lower(), network(self.address)
        here = [_key("here", account, self.device or address)]
        return here if self.device else [*here, _key("account", account), _key("address", address)]


def network(address: str) -> str:
    """What counts as one address: of IPv6 the /64, since whoever has one address has all of it.

    >>> network("192.0.2.7"), network("2001:db8:1:2:3::4")
    ('192.0.2.7', '2001:db8:1:2::/64')
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((found, 64), strict=False)) if found.version == 6 else address


def begin(attempt: Try, now: datetime) -> int:
    """0 when the password may be looked at, which counts as a failure until `succeed`.

    Otherwise the seconds to wait.
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
    """The password was right: the failures here are forgotten, and the try is taken back
    elsewhere."""
    try:
        jobs_redis().register_script(_SUCCEED)(keys=attempt.keys, args=[])
    except RedisAway as error:
        log.warning("sign_in_uncounted", reason=type(error).__name__)


def _key(kind: str, *parts: str) -> str:
    return f"pressbox:sign-in:{kind}:{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()}"
