"""Cache entries in Redis and the versions of the tags that they depend on.

A version is a moment in microseconds from one clock in Redis that only goes forward. An entry
carries the moment before its data was read. It is valid while none of its tags has a later version
or a pending writer. A writer marks its tags as pending before its commit and raises their versions
again after it, so data that was read before the commit is never served after it. Who raises which
tag: tagged_connection.py.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha1
from typing import Any, NamedTuple, cast

import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.exceptions import NoScriptError
from redis.retry import Retry

EVERYTHING = "everything"  # a tag of every entry
ENTRY_SECONDS = 30
# A version outlives every entry that is older than it, and so does the mark of a writer that died.
VERSION_SECONDS, PENDING_SECONDS = 4 * ENTRY_SECONDS, 2 * ENTRY_SECONDS
WRITE_SECONDS = 3.0  # the wait for Redis while a transaction is open
MAX_TAGS = 1_000  # of one entry: Lua passes on 8,000 values at most
# The keys have the names of release 0.1, so that both releases see each other's writes during an
# upgrade.
MOMENT, VERSION, PENDING, ENTRY = "polls:at", "polls:stamp:", "polls:hold:", "polls:memory:"

# The next moment: later than every one before, whatever the server's clock does.
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
# ARGV[1]: the time of the asking process in milliseconds. ARGV[2]: the prefix of keys of its
# timeline. `valid(key)` returns the body of a valid entry, else nil.
_VALID = f"""
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
# ARGV[4]: the version that the browser shows. Returns the moment, the poll's entry and the page's;
# of a page with that version only its first two lines.
_LOOKUP_POLL = f"""{_VALID}
local poll = valid(ARGV[3])
local cut = poll and string.find(poll, '\\n', 1, true)
if not cut then return {{at}} end
if cut == 1 then return {{at, poll}} end
local page = valid(string.sub(poll, 1, cut - 1))
if not page then return {{at}} end
local line = string.find(page, '\\n', 1, true)
if line and string.sub(page, 1, line - 1) == ARGV[4] then
  page = string.sub(page, 1, string.find(page, '\\n', line + 1, true))
end
return {{at, poll, page}}
"""
# ARGV: the key, the entry.
_STORE = f"redis.call('SET', '{ENTRY}' .. ARGV[1], ARGV[2], 'EX', {ENTRY_SECONDS}) return 1"


class _Script:
    def __init__(self, source: str) -> None:
        self.source = source
        self.digest = sha1(source.encode(), usedforsecurity=False).hexdigest()  # Redis' name for it


BEGIN_WRITE, END_WRITE, LOOKUP, LOOKUP_POLL, STORE = SCRIPTS = [
    _Script(source) for source in (_BEGIN_WRITE, _END_WRITE, _LOOKUP, _LOOKUP_POLL, _STORE)
]


class Entry(NamedTuple):
    """What is stored.

    `moment`: of the lookup before the data was read. `expires_ms`: by the storing process' clock.
    `counters`: values of other keys of this Redis, read before the data, that must not have
    changed; empty text: no such key.
    """

    moment: int
    expires_ms: int
    tags: Collection[str]
    body: str
    counters: Mapping[str, str] = {}


class Lookup(NamedTuple):
    """`body`: None if there is no valid entry. `moment`: for the entry that is stored next."""

    body: bytes | None
    moment: int


class PollLookup(NamedTuple):
    """`poll`: None if there is no valid entry.

    `page`: of the page that it points to, None if it points to none.
    """

    poll: bytes | None
    page: bytes | None
    moment: int


class TagStore:
    """Entries and tags of one Redis server.

    Every method raises redis.RedisError if it does not answer.

    Safe for threads; writing is safe in forked processes.
    """

    def __init__(
        self,
        url: str,
        lookup_seconds: float,
        epoch: Callable[[], int] = lambda: 0,
        known_epoch: Callable[[], int | None] = lambda: 0,
    ) -> None:
        """Connect when something is asked.

        Args:
            url: of the Redis server.
            lookup_seconds: the longest wait for a lookup, after which a page is rendered.
            epoch: returns the number of the database's timeline; entries of other timelines are
                not found.
            known_epoch: as epoch, but None instead of waiting for PostgreSQL.
        """
        self._epoch = epoch
        self._known_epoch = known_epoch
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
        self._url, self._lookup_options = url, lookup_options
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
        return _poll_lookup(answer)

    def connect_loop(self) -> redis.asyncio.Redis:
        """Return a client for `lookup_poll_in_loop` in one event loop."""
        return redis.asyncio.Redis.from_url(
            self._url, **cast("dict[str, Any]", self._lookup_options), retry=None
        )

    async def lookup_poll_in_loop(
        self, client: redis.asyncio.Redis, key: str, shown_version: str, now_ms: int
    ) -> PollLookup | None:
        """Return what `lookup_poll` does, without blocking the event loop.

        None if the timeline is not known yet, or the server has lost our scripts: then ask
        `lookup_poll` in a thread.
        """
        epoch = self._known_epoch()
        if epoch is None:
            return None
        try:
            answer = await client.execute_command(
                *("EVALSHA", LOOKUP_POLL.digest, 0, now_ms, _prefix_of(epoch), key, shown_version)
            )
        except NoScriptError:
            return None
        return _poll_lookup(answer)

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
            self._free.clear()  # the other connections are as dead
            raise
        self._free.append(connection)
        return answer

    def store(self, key: str, entry: Entry) -> None:
        """Store an entry for ENTRY_SECONDS at most. One with MAX_TAGS or more is not stored."""
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
        self._run(STORE, f"{self._prefix}{key}", f"{json.dumps(head)}\n{entry.body}")

    def begin_write(self, tags: Collection[str]) -> str:
        """Before a commit: make entries with these tags invalid until `end_write`.

        Returns the writer's id.
        """
        writer = secrets.token_hex(8)
        self._run(BEGIN_WRITE, writer, *tags)
        return writer

    def end_write(self, writer: str, tags: Collection[str]) -> None:
        """After the commit: entries of data that is read from now on are valid."""
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


def _poll_lookup(answer: object) -> PollLookup:
    moment, *bodies = cast("list[Any]", answer)
    poll, page = (*bodies, None, None)[:2]
    return PollLookup(poll, page, moment)
