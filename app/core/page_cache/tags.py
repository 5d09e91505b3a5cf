"""Cache entries in Redis and the versions of the tags that they depend on.

A version is a moment in microseconds from one clock in Redis that only goes forward. An entry
carries the moment before its data was read, and is valid while none of its tags has a later version
or a pending writer. Writers (tagged_connection.py) raise their tags before and after their commit.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha1
from typing import Any, NamedTuple, cast

import redis
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.exceptions import NoScriptError
from redis.retry import Retry

from app.core import clock

EVERYTHING = "everything"  # a tag of every entry
ENTRY_SECONDS = 30
# An entry of a poll holds nothing but headers and who the viewer is.
POLL_SECONDS = 120
# Versions, and the pending marks of writers that died, outlive every entry that they invalidate.
VERSION_SECONDS, PENDING_SECONDS = 4 * POLL_SECONDS, 2 * POLL_SECONDS
WRITE_SECONDS = 3.0  # the longest wait for Redis while a transaction is open
MAX_TAGS = 1_000  # per entry; Lua's `unpack` returns at most 8,000 values
# Tags have the names of release 0.1, so that both releases see each other's writes in an upgrade.
MOMENT, VERSION, PENDING, ENTRY = "polls:at", "polls:stamp:", "polls:hold:", "polls:entry:"

# ARGV: 'begin' or 'end', the writer, its tags. The next moment is later than every previous one,
# even if the server's clock goes back.
_WRITE = f"""
local time = redis.call('TIME')
local at = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', '{MOMENT}') or '0') + 1)
local moment = string.format('%.0f', at)
redis.call('SET', '{MOMENT}', moment)
for number = 3, #ARGV do
  local pending = '{PENDING}' .. ARGV[number]
  redis.call('SET', '{VERSION}' .. ARGV[number], moment, 'EX', {VERSION_SECONDS})
  if ARGV[1] == 'begin' then
    redis.call('ZREMRANGEBYSCORE', pending, '-inf', time[1])
    redis.call('ZADD', pending, time[1] + {PENDING_SECONDS}, ARGV[2])
    redis.call('EXPIRE', pending, {PENDING_SECONDS})
  else
    redis.call('ZREM', pending, ARGV[2])
  end
end
return 1
"""
# ARGV: the time in milliseconds, the key prefix of its restore epoch, the shown version, keys.
# Returns the moment, then of each entry false or what `Lookup` holds. It begins with a write
# without effect, because a server that takes no writes has missed changes.
_LOOKUP = f"""
redis.call('SETRANGE', '{MOMENT}', 0, '')
local at = tonumber(redis.call('GET', '{MOMENT}') or '0')
local function is_valid(head)
  if head.at > at or head.ends <= tonumber(ARGV[1]) then return false end
  for _, version in ipairs(redis.call('MGET', unpack(head.versions))) do
    if version and tonumber(version) > head.at then return false end
  end
  if redis.call('EXISTS', unpack(head.pending)) > 0 then return false end
  for key, value in pairs(head.counters) do
    if (redis.call('GET', key) or '') ~= value then return false end
  end
  return true
end
local keys, answer = {{unpack(ARGV, 4)}}, {{at}}
for number, key in ipairs(keys) do
  local name = '{ENTRY}' .. ARGV[2] .. key
  local fields = redis.call('HMGET', name, 'head', 'about', 'version', 'page')
  answer[number + 1] = false
  if fields[1] and is_valid(cjson.decode(fields[1])) then
    local is_shown = ARGV[3] ~= '' and fields[3] == ARGV[3]
    answer[number + 1] = {{fields[2], not is_shown and redis.call('HGET', name, 'body')}}
    if fields[4] ~= '' then keys[#keys + 1] = fields[4] end
  end
end
return answer
"""


WRITE_DIGEST, LOOKUP_DIGEST = (
    sha1(source.encode(), usedforsecurity=False).hexdigest() for source in (_WRITE, _LOOKUP)
)


class Lookup(NamedTuple):
    """What was found for a key: nothing if `about` is None."""

    moment: int  # belongs into the entry that is stored next
    about: bytes | None
    body: bytes | None  # None if the browser shows this version


class Entry(NamedTuple):
    """A cache entry, valid until a tag changes.

    `counters` are values of other keys of this Redis that were read before the data. The entry is
    valid only while they are unchanged; an empty text means that the key does not exist.
    """

    tags: Collection[str]  # with MAX_TAGS or more the entry is not stored
    body: bytes = b""  # the page or value
    expires_at: datetime | None = None  # when it changes merely because time passes
    about: str = ""  # a short text that a lookup always returns
    version: str = ""  # of a page
    page: str = ""  # of a poll: the key of the page that answers it
    counters: Mapping[str, str] = {}
    seconds: int = ENTRY_SECONDS  # how long it is kept at most

    def as_found(self) -> Lookup:
        """Return what a lookup would find."""
        return Lookup(0, self.about.encode(), self.body)


class TagStore:
    """Entries and tags of one Redis server.

    Every method raises redis.RedisError if the server does not answer. All methods are
    thread-safe, and writing also works in forked processes.
    """

    def __init__(
        self, url: str, lookup_seconds: float, epoch: Callable[[], int] = lambda: 0
    ) -> None:
        """Prepare the clients, which connect on first use.

        `lookup_seconds` is the longest wait for a lookup, after which a page is rendered. Entries
        of another restore epoch of the database are not found.
        """
        self._epoch = epoch
        url = url.replace("valkey://", "redis://", 1)
        # One retry: a connection may lead to a server that was restarted meanwhile.
        self._client = redis.Redis.from_url(url, **_timeouts(1, WRITE_SECONDS, retries=1))
        # Not a client: redis-py's own path to a connection takes longer than the lookup.
        self._connections = redis.ConnectionPool.from_url(
            url, **_timeouts(lookup_seconds, lookup_seconds, retries=0)
        )
        self._free: list[AbstractConnection] = []

    def lookup(self, keys: Sequence[str], now: datetime, shown_version: str = "") -> list[Lookup]:
        """Return the valid entries of these keys, and after those of polls their pages."""
        moment, *entries = self._ask(clock.to_ms(now), self._prefix(), shown_version, *keys)
        return [Lookup(moment, *(entry or (None, None))) for entry in entries]

    def _prefix(self) -> str:
        epoch = self._epoch()
        return f"{epoch}:" if epoch else ""

    def _ask(self, *arguments: str | int) -> list[Any]:
        try:
            connection = self._free.pop()
        except IndexError:
            connection = cast("AbstractConnection", self._connections.make_connection())
        try:
            connection.send_packed_command(
                connection.pack_command("EVALSHA", LOOKUP_DIGEST, 0, *arguments)
            )
            answer = cast("list[Any]", connection.read_response())
        except NoScriptError:
            self._load_scripts()
            return self._ask(*arguments)
        except BaseException:
            connection.disconnect()
            self._free.clear()  # the other connections are probably dead too
            raise
        self._free.append(connection)
        return answer

    def store(self, key: str, moment: int, entry: Entry) -> None:
        """Store an entry; `moment` is that of the lookup before the data was read."""
        if len(entry.tags) + len(entry.counters) >= MAX_TAGS:
            return
        tags = [EVERYTHING, *entry.tags]
        head = {
            "at": moment,
            "ends": clock.to_ms(entry.expires_at or datetime.max.replace(tzinfo=UTC)),
            "versions": [f"{VERSION}{tag}" for tag in tags],
            "pending": [f"{PENDING}{tag}" for tag in tags],
            "counters": dict(entry.counters),
        }
        texts = {"head": json.dumps(head), "about": entry.about, "version": entry.version}
        fields: dict[Any, Any] = {**texts, "page": entry.page, "body": entry.body}
        name = f"{ENTRY}{self._prefix()}{key}"
        with self._client.pipeline() as pipeline:
            pipeline.hset(name, mapping=fields)
            pipeline.expire(name, entry.seconds)
            pipeline.execute()

    def begin_write(self, tags: Collection[str]) -> str:
        """Invalidate entries with these tags before a commit, and return the writer's id."""
        writer = secrets.token_hex(8)
        self._write("begin", writer, *tags)
        return writer

    def end_write(self, writer: str, tags: Collection[str]) -> None:
        """Make entries valid whose data is read from now on. Call it after the commit."""
        self._write("end", writer, *tags)

    def _write(self, *arguments: str) -> None:
        try:
            self._client.evalsha(WRITE_DIGEST, 0, *arguments)
        except NoScriptError:
            self._load_scripts()
            self._client.evalsha(WRITE_DIGEST, 0, *arguments)

    def _load_scripts(self) -> None:
        """Invalidate everything, then load the scripts.

        Scripts are neither saved nor replicated: a server without ours was restarted or took over
        from another one, and may have entries without the latest versions.
        """
        # Not the very script, because EVAL would load it before everything is invalid.
        self._client.eval(f"{_WRITE} ", 0, "end", "", EVERYTHING)
        for script in (_WRITE, _LOOKUP):
            self._client.script_load(script)


def _timeouts(connect: float, answer: float, *, retries: int) -> dict[str, Any]:
    return {
        "socket_connect_timeout": connect,
        "socket_timeout": answer,
        "retry": Retry(NoBackoff(), retries),
    }
