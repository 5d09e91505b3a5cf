"""Stamps in Redis: when what an answer rests on last changed; and memories of answers, which stand until then.

A stamp has a name, as `member:7`, and the moment at which it was last raised. A memory holds its own moment, the names
on which it rests, and an end; it stands while none of them was raised after its moment or is held. A writer holds the
stamps before its commit and releases them after it, which raises them both times. So a memory that was made of what the
database said before the commit never stands after it, not for a moment: until the release the stamp is held, and from
then on it is later than whatever looked before. Lives here: the protocol. Not here: who raises what (stamped.py), what
is remembered (unchanged.py). Why: decision 53.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha1
from typing import Any, NamedTuple, cast

import redis
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.exceptions import NoScriptError
from redis.retry import Retry

EVERYTHING = "everything"  # on which every memory rests
MEMORY_SECONDS = 30  # the longest that a memory stands
# A stamp is kept for longer than any memory that is older than it, and so is the hold of a writer that died.
STAMP_SECONDS, HOLD_SECONDS = 4 * MEMORY_SECONDS, 2 * MEMORY_SECONDS
WRITE_SECONDS = 3.0  # the wait for Redis with a transaction open
MOST_NAMES = 1_000  # of one memory: Lua hands on 8,000 values at most
AT, STAMP, HOLD, MEMORY = "polls:at", "polls:stamp:", "polls:hold:", "polls:memory:"

# The next moment, in microseconds: later than every one before, whatever the server's clock does.
_NEXT = f"""
local time = redis.call('TIME')
local at = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', '{AT}') or '0') + 1)
redis.call('SET', '{AT}', string.format('%.0f', at))
local written = string.format('%.0f', at)
"""
# ARGV: who holds them, names.
_HOLD = f"""{_NEXT}
for number = 2, #ARGV do
  local hold = '{HOLD}' .. ARGV[number]
  redis.call('SET', '{STAMP}' .. ARGV[number], written, 'EX', {STAMP_SECONDS})
  redis.call('ZREMRANGEBYSCORE', hold, '-inf', time[1])
  redis.call('ZADD', hold, time[1] + {HOLD_SECONDS}, ARGV[1])
  redis.call('EXPIRE', hold, {HOLD_SECONDS})
end
return 1
"""
_RELEASE = f"""{_NEXT}
for number = 2, #ARGV do
  redis.call('SET', '{STAMP}' .. ARGV[number], written, 'EX', {STAMP_SECONDS})
  redis.call('ZREM', '{HOLD}' .. ARGV[number], ARGV[1])
end
return 1
"""
# ARGV[1]: the time of the asking process in milliseconds; ARGV[2]: before each key of its timeline. `standing`: what
# the memory of a key holds, if it stands.
_STANDING = f"""
local at = tonumber(redis.call('GET', '{AT}') or '0')
local function standing(key)
  local held = redis.call('GET', '{MEMORY}' .. ARGV[2] .. key)
  if not held then return nil end
  local cut = string.find(held, '\\n', 1, true)
  local memory = cjson.decode(string.sub(held, 1, cut - 1))
  if memory.at > at or memory.ends <= tonumber(ARGV[1]) then return nil end
  for _, raised in ipairs(redis.call('MGET', unpack(memory.stamps))) do
    if raised and tonumber(raised) > memory.at then return nil end
  end
  if redis.call('EXISTS', unpack(memory.holds)) > 0 then return nil end
  for key, counted in pairs(memory.counters) do
    if (redis.call('GET', key) or '') ~= counted then return nil end
  end
  return string.sub(held, cut + 1)
end
"""
# ARGV[3]: the memory's key. What it holds, or the present moment.
_LOOK = f"{_STANDING} return standing(ARGV[3]) or at"
# ARGV[3] and on: keys. The present moment, and for each key what its memory holds, nil where it does not stand.
_LOOK_AT_ALL = f"""{_STANDING}
local found = {{at}}
for number = 3, #ARGV do found[number - 1] = standing(ARGV[number]) or false end
return found
"""
# ARGV[3], ARGV[4]: keys. What the first holds; else what the second holds, and what the memory holds whose key is the
# first line of that, if both stand; else the present moment. ARGV[5]: where that begins with this line, its first two
# lines are enough.
_FOLLOW = f"""{_STANDING}
local found = standing(ARGV[3])
if found then return {{found}} end
local way = standing(ARGV[4])
if not way then return at end
local cut = string.find(way, '\\n', 1, true)
local followed = cut and standing(string.sub(way, 1, cut - 1))
if not followed then return at end
local line = string.find(followed, '\\n', 1, true)
if line and string.sub(followed, 1, line - 1) == ARGV[5] then
  followed = string.sub(followed, 1, string.find(followed, '\\n', line + 1, true))
end
return {{way, followed}}
"""
# ARGV: the memory's key, the memory.
_REMEMBER = f"redis.call('SET', '{MEMORY}' .. ARGV[1], ARGV[2], 'EX', {MEMORY_SECONDS}) return 1"


class _Script:
    def __init__(self, source: str) -> None:
        self.source = source
        self.digest = sha1(source.encode(), usedforsecurity=False).hexdigest()  # as Redis names it


HOLDING, RELEASING, LOOKING, LOOKING_AT_ALL, FOLLOWING, REMEMBERING = SCRIPTS = [
    _Script(one) for one in (_HOLD, _RELEASE, _LOOK, _LOOK_AT_ALL, _FOLLOW, _REMEMBER)
]


class Memory(NamedTuple):
    """`at`: the moment before the database was asked, of `look`. `ends`: milliseconds by the asking process's clock.
    `names`: of the stamps on which the answer rests. `answer`: what `look` gives back. `counters`: by key what else on
    this server must be as it was, as text, read before the rest; empty: not there."""

    at: int
    ends: int
    names: Collection[str]
    answer: str
    counters: Mapping[str, str] = {}


class Stamps:
    """The stamps of one Redis server. All of it raises RedisAway; safe for threads, and writing in forked processes."""

    def __init__(self, url: str, look_seconds: float, epoch: Callable[[], int] = lambda: 0) -> None:
        """`look_seconds`: the wait for Redis, after which an answer is made in the usual way. `epoch`: gives the number
        of the database's timeline; memories of another one are not found (timeline.py)."""
        self._epoch = epoch
        url = url.replace("valkey://", "redis://", 1)
        # Once more, since a connection may be one to a server that was started again meanwhile.
        writing = {"socket_connect_timeout": 1, "socket_timeout": WRITE_SECONDS, "retry": Retry(NoBackoff(), 1)}
        self._client = redis.Redis.from_url(url, **cast("dict[str, Any]", writing))
        looking = {"socket_connect_timeout": look_seconds, "socket_timeout": look_seconds}
        # Made here, not taken from a client: redis-py's own way to a connection takes longer than what is asked.
        self._looking = redis.ConnectionPool.from_url(url, **looking, retry=Retry(NoBackoff(), 0))
        self._free: list[AbstractConnection] = []

    def look(self, key: str, now: int) -> bytes | int:
        """The answer of the memory of that key, if it stands; else the present moment, for what is remembered next.

        One round trip, which ends after `look_seconds`.
        """
        return cast("bytes | int", self._ask(LOOKING, now, self._prefix, key))

    def look_at_all(self, keys: Sequence[str], now: int) -> list[bytes | int]:
        """As `look` for each of them, in one round trip."""
        at, *found = cast("list[Any]", self._ask(LOOKING_AT_ALL, now, self._prefix, *keys))
        return [at if one is None else one for one in found]

    def follow(self, key: str, way: str, shown: str, now: int) -> list[bytes] | int:
        """As `look` for `key`, in a list. Where that does not stand: the answer of the memory `way`, whose first line
        is the key of another, and the answer of that one, if both stand; of the latter only the first two lines where
        the first is `shown`. Else the present moment."""
        return cast("list[bytes] | int", self._ask(FOLLOWING, now, self._prefix, key, way, shown))

    @property
    def _prefix(self) -> str:
        """Before the key of each memory: the timeline that it is of."""
        number = self._epoch()
        return f"{number}:" if number else ""

    def _ask(self, script: _Script, *arguments: str | int) -> object:
        try:
            connection = self._free.pop()
        except IndexError:
            connection = cast("AbstractConnection", self._looking.make_connection())
        try:
            connection.send_packed_command(connection.pack_command("EVALSHA", script.digest, 0, *arguments))
            found: object = connection.read_response()
        except NoScriptError:
            self._begin_anew()
            return self._ask(script, *arguments)
        except BaseException:
            connection.disconnect()
            self._free.clear()  # the others are as dead
            raise
        self._free.append(connection)
        return found

    def remember(self, key: str, memory: Memory) -> None:
        """For MEMORY_SECONDS, and until it ends or does not stand any more; what rests on more than MOST_NAMES is not
        remembered."""
        if len(memory.names) + len(memory.counters) >= MOST_NAMES:
            return
        names = [EVERYTHING, *memory.names]
        held = {
            "at": memory.at,
            "ends": memory.ends,
            "stamps": [f"{STAMP}{name}" for name in names],
            "holds": [f"{HOLD}{name}" for name in names],
            "counters": dict(memory.counters),
        }
        self._run(
            REMEMBERING, f"{self._prefix}{key}", f"{json.dumps(held)}\n{memory.answer}"
        )  # JSON has no line's end of its own

    def hold(self, names: Collection[str]) -> str:
        """Before a commit: nothing that rests on these stands until `release`. Returns what that needs."""
        holder = secrets.token_hex(8)
        self._run(HOLDING, holder, *names)
        return holder

    def release(self, holder: str, names: Collection[str]) -> None:
        """After the commit: what looks from now on may be remembered."""
        self._run(RELEASING, holder, *names)

    def _run(self, script: _Script, *arguments: str) -> None:
        try:
            self._client.execute_command("EVALSHA", script.digest, 0, *arguments)
        except NoScriptError:
            self._begin_anew()
            self._client.execute_command("EVALSHA", script.digest, 0, *arguments)

    def _begin_anew(self) -> None:
        """A server that does not know our scripts was started again, or took over: it may have memories, and not the
        stamp that was raised last. Scripts are not kept on disk, nor copied to a replica; only then are they missing.
        """
        self._client.execute_command("EVAL", RELEASING.source.replace("return 1", "return 2"), 0, "", EVERYTHING)
        for script in SCRIPTS:
            self._client.execute_command("SCRIPT LOAD", script.source)
