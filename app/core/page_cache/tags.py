"""Cache entries in Redis and the versions of the tags that they depend on.

A version is a moment in microseconds from one clock in Redis that only goes forward. An entry
carries the moment before its data was read. It is valid while none of its tags has a later version
or a pending writer. A writer marks its tags as pending before its commit and raises their versions
again after it, so data that was read before the commit is never served after it. Tags are raised in
tagged_connection.py.
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

EVERYTHING = "everything"  # a tag of every entry
ENTRY_SECONDS = 30
# An entry of a poll holds nothing but headers and who the viewer is.
POLL_SECONDS = 120
# Versions, and the pending marks of writers that died, outlive every entry that they invalidate.
VERSION_SECONDS, PENDING_SECONDS = 4 * POLL_SECONDS, 2 * POLL_SECONDS
WRITE_SECONDS = 3.0  # the longest wait for Redis while a transaction is open
MAX_TAGS = 1_000  # per entry; Lua's `unpack` returns at most 8,000 values
# The names of the keys are those of release 0.1, so that both releases see each other's writes
# during an upgrade.
MOMENT, VERSION, PENDING, ENTRY = "polls:at", "polls:stamp:", "polls:hold:", "polls:memory:"

# The next moment, which is later than every previous one even if the server's clock goes back.
_NEXT_MOMENT = f"""
local time = redis.call('TIME')
local at = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', '{MOMENT}') or '0') + 1)
redis.call('SET', '{MOMENT}', string.format('%.0f', at))
local moment = string.format('%.0f', at)
"""
# ARGV: the writer, its tags.
_BEGIN_WRITE = f"""{_NEXT_MOMENT}
for number = 2, #ARGV do
  local pending = '{PENDING}' .. ARGV[number]
  redis.call('SET', '{VERSION}' .. ARGV[number], moment, 'EX', {VERSION_SECONDS})
  redis.call('ZREMRANGEBYSCORE', pending, '-inf', time[1])
  redis.call('ZADD', pending, time[1] + {PENDING_SECONDS}, ARGV[1])
  redis.call('EXPIRE', pending, {PENDING_SECONDS})
end
return 1
"""
_END_WRITE = f"""{_NEXT_MOMENT}
for number = 2, #ARGV do
  redis.call('SET', '{VERSION}' .. ARGV[number], moment, 'EX', {VERSION_SECONDS})
  redis.call('ZREM', '{PENDING}' .. ARGV[number], ARGV[1])
end
return 1
"""
# ARGV[1]: the caller's time in milliseconds. ARGV[2]: the key prefix of the caller's restore epoch.
# `valid(key)` returns the body of a valid entry, else nil. It begins with a write without effect: a
# server that takes no writes has missed changes, and nothing that it holds is valid.
_VALID = f"""
redis.call('SETRANGE', '{MOMENT}', 0, '')
local at = tonumber(redis.call('GET', '{MOMENT}') or '0')
local function valid(key)
  local entry = redis.call('GET', '{ENTRY}' .. ARGV[2] .. key)
  if not entry then return nil end
  local cut = string.find(entry, '\\n', 1, true)
  local head = cjson.decode(string.sub(entry, 1, cut - 1))
  if head.at > at or head.ends <= tonumber(ARGV[1]) then return nil end
  for _, version in ipairs(redis.call('MGET', unpack(head.stamps))) do
    if version and tonumber(version) > head.at then return nil end
  end
  if redis.call('EXISTS', unpack(head.holds)) > 0 then return nil end
  for key, value in pairs(head.counters) do
    if (redis.call('GET', key) or '') ~= value then return nil end
  end
  return string.sub(entry, cut + 1)
end
"""
# ARGV[3] and on: keys. Returns the moment, then the body of each entry, or false.
_LOOKUP = f"""{_VALID}
local bodies = {{at}}
for number = 3, #ARGV do bodies[number - 1] = valid(ARGV[number]) or false end
return bodies
"""
# ARGV[3]: the key of a poll's entry, whose first line is the key of a page's entry, or empty.
# ARGV[4]: the version that the browser shows. Returns the moment, the poll's entry, or false, and
# the page's entry, or false. If the page has the shown version, only its first two lines are
# returned.
_LOOKUP_POLL = f"""{_VALID}
local poll, page = valid(ARGV[3]) or false, false
local cut = poll and string.find(poll, '\\n', 1, true)
if not cut then poll = false end
if cut and cut > 1 then page = valid(string.sub(poll, 1, cut - 1)) or false end
local line = page and string.find(page, '\\n', 1, true)
if line and string.sub(page, 1, line - 1) == ARGV[4] then
  page = string.sub(page, 1, string.find(page, '\\n', line + 1, true))
end
return {{at, poll, page}}
"""
# ARGV: the key, the entry, the seconds for which it is kept.
_STORE = f"redis.call('SET', '{ENTRY}' .. ARGV[1], ARGV[2], 'EX', ARGV[3]) return 1"


class _Script:
    def __init__(self, source: str) -> None:
        self.source = source
        self.digest = sha1(source.encode(), usedforsecurity=False).hexdigest()  # for EVALSHA


BEGIN_WRITE, END_WRITE, LOOKUP, LOOKUP_POLL, STORE = SCRIPTS = [
    _Script(source) for source in (_BEGIN_WRITE, _END_WRITE, _LOOKUP, _LOOKUP_POLL, _STORE)
]


class Entry(NamedTuple):
    """A cache entry.

    `moment` is that of the lookup before the data was read. `expires_ms` is a time of the storing
    process's clock. `counters` are values of other keys of this Redis that were read before the
    data. The entry is valid only while they are unchanged; an empty text means that the key does
    not exist.
    """

    moment: int
    expires_ms: int
    tags: Collection[str]
    body: str
    counters: Mapping[str, str] = {}


class Lookup(NamedTuple):
    """The result of a lookup. `body` is None if there is no valid entry.

    `moment` belongs into the entry that is stored next.
    """

    body: bytes | None
    moment: int


class PollLookup(NamedTuple):
    """The result of looking up a poll. `poll` is None if there is no valid entry.

    `page` is the entry that the poll's entry points to, or None if that is not valid or it points
    to none.
    """

    poll: bytes | None
    page: bytes | None
    moment: int


class TagStore:
    """Entries and tags of one Redis server.

    Every method raises redis.RedisError if the server does not answer. All methods are
    thread-safe, and writing also works in forked processes.
    """

    def __init__(
        self,
        url: str,
        lookup_seconds: float,
        epoch: Callable[[], int] = lambda: 0,
    ) -> None:
        """Prepare the clients, which connect on first use.

        Args:
            url: the address of the Redis server.
            lookup_seconds: the longest wait for a lookup, after which a page is rendered.
            epoch: returns the database's restore epoch; entries of other epochs are not found.
        """
        self._epoch = epoch
        url = url.replace("valkey://", "redis://", 1)
        # One retry: a connection may lead to a server that was restarted meanwhile.
        write_options = {
            "socket_connect_timeout": 1,
            "socket_timeout": WRITE_SECONDS,
            "retry": Retry(NoBackoff(), 1),
        }
        self._client = redis.Redis.from_url(url, **cast("dict[str, Any]", write_options))
        lookup_options = {
            "socket_connect_timeout": lookup_seconds,
            "socket_timeout": lookup_seconds,
        }
        # Connections instead of a client: redis-py's own path to a connection takes longer than the
        # lookup.
        self._connections = redis.ConnectionPool.from_url(
            url, **lookup_options, retry=Retry(NoBackoff(), 0)
        )
        self._free: list[AbstractConnection] = []

    def lookup(self, key: str, now_ms: int) -> Lookup:
        """Return the valid entry of the key, in one round trip."""
        return self.lookup_many([key], now_ms)[0]

    def lookup_many(self, keys: Sequence[str], now_ms: int) -> list[Lookup]:
        """Return the valid entries of these keys, in one round trip."""
        moment, *bodies = cast("list[Any]", self._ask(LOOKUP, now_ms, self._prefix, *keys))
        return [Lookup(body, moment) for body in bodies]

    def lookup_poll(self, key: str, shown_version: str, now_ms: int) -> PollLookup:
        """Return a poll's entry and that of the page it points to, in one round trip.

        A page with the version that the browser shows comes without its body.
        """
        answer = self._ask(LOOKUP_POLL, now_ms, self._prefix, key, shown_version)
        moment, poll, page = cast("list[Any]", answer)
        return PollLookup(poll, page, moment)

    @property
    def _prefix(self) -> str:
        return _prefix_of(self._epoch())

    def _ask(self, script: _Script, *arguments: str | int) -> object:
        try:
            connection = self._free.pop()
        except IndexError:
            connection = cast("AbstractConnection", self._connections.make_connection())
        try:
            connection.send_packed_command(
                connection.pack_command("EVALSHA", script.digest, 0, *arguments)
            )
            answer: object = connection.read_response()
        except NoScriptError:
            self._load_scripts()
            return self._ask(script, *arguments)
        except BaseException:
            connection.disconnect()
            self._free.clear()  # the other connections are probably dead too
            raise
        self._free.append(connection)
        return answer

    def store(self, key: str, entry: Entry, seconds: int = ENTRY_SECONDS) -> None:
        """Store an entry for so many seconds at most. One with MAX_TAGS or more is not stored."""
        if len(entry.tags) + len(entry.counters) >= MAX_TAGS:
            return
        tags = [EVERYTHING, *entry.tags]
        head = {
            "at": entry.moment,
            "ends": entry.expires_ms,
            "stamps": [f"{VERSION}{tag}" for tag in tags],
            "holds": [f"{PENDING}{tag}" for tag in tags],
            "counters": dict(entry.counters),
        }
        # JSON is a single line
        self._run(STORE, f"{self._prefix}{key}", f"{json.dumps(head)}\n{entry.body}", str(seconds))

    def begin_write(self, tags: Collection[str]) -> str:
        """Invalidate entries with these tags until `end_write`. Call it before a commit.

        Returns the writer's id.
        """
        writer = secrets.token_hex(8)
        self._run(BEGIN_WRITE, writer, *tags)
        return writer

    def end_write(self, writer: str, tags: Collection[str]) -> None:
        """Make entries valid whose data is read from now on. Call it after the commit."""
        self._run(END_WRITE, writer, *tags)

    def _run(self, script: _Script, *arguments: str) -> None:
        try:
            self._client.execute_command("EVALSHA", script.digest, 0, *arguments)
        except NoScriptError:
            self._load_scripts()
            self._client.execute_command("EVALSHA", script.digest, 0, *arguments)

    def _load_scripts(self) -> None:
        """Invalidate everything, then load the scripts.

        A server without our scripts was restarted or took over from another one, because scripts
        are neither saved nor replicated. It may have entries without the latest versions.
        """
        self._client.execute_command(
            "EVAL", END_WRITE.source.replace("return 1", "return 2"), 0, "", EVERYTHING
        )
        for script in SCRIPTS:
            self._client.execute_command("SCRIPT LOAD", script.source)


def _prefix_of(epoch: int) -> str:
    return f"{epoch}:" if epoch else ""
