"""`cached_value`: loads a value once for all, in any process, until one of its tags changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar, cast

import msgspec
import redis
import structlog
from flask import current_app, has_request_context, request

from app.core import clock
from app.core.db import db
from app.core.errors import one_line
from app.core.page_cache.single_flight import single_flight
from app.core.page_cache.tags import Entry, Lookup
from app.core.release import release

Value = TypeVar("Value")

log = structlog.get_logger(__name__)

PRELOADED = "pressbox.preloaded"
_decoder = cache(msgspec.json.Decoder)


class CachedValue(NamedTuple, Generic[Value]):
    """What is cached until one of the tags changes, and not beyond `expires_at`."""

    value: Value
    tags: Collection[str]
    expires_at: datetime | None = None


def cached_value(key: str, kind: Any, load: Callable[[], CachedValue[Value]]) -> Value:
    """Return the cached value of the key, or load and cache it.

    Args:
        key: must contain everything that the value depends on, such as the member's id.
        kind: the type of the value, for example `list[GameRow]`; msgspec must know it.
        load: called only if there is no valid entry. A value without tags is not cached.
    """

    def make() -> Entry:
        is_ours = not db.session().in_transaction()
        loaded = load()
        if is_ours:
            db.session.commit()  # the request may wait, and should not hold a connection
        return Entry(loaded.tags, msgspec.json.encode(loaded.value), loaded.expires_at)

    return cast("Value", _decoder(kind).decode(fetch(entry_key(key), make).body or b""))


def entry_key(key: str) -> str:
    """Return the key of a value's entry: each release has its own."""
    return f"{key}:{release()}"


def look_up(keys: Sequence[str]) -> list[Lookup | None]:
    """Look each key up, in one round trip. None for each of them if Redis does not answer."""
    try:
        return [*current_app.extensions["tag_store"].lookup(keys, clock.now())]
    except redis.RedisError as error:
        log.warning("page_cache_away", reason=one_line(error))
        return [None] * len(keys)


def fetch(key: str, make: Callable[[], Entry]) -> Lookup:
    """Return the valid entry, or make one: once for all requests that need it now.

    An entry without tags is not stored.
    """
    preloaded = request.environ.get(PRELOADED, {}) if has_request_context() else {}
    lookup: Lookup | None = preloaded.pop(key) if key in preloaded else look_up([key])[0]

    def make_once(was_made_meanwhile: bool) -> Lookup:
        latest = look_up([key])[0] if was_made_meanwhile else lookup
        if latest is not None and latest.about is not None:
            return latest
        entry = make()
        if latest is not None and entry.tags:
            try:
                current_app.extensions["tag_store"].store(key, latest.moment, entry)
            except redis.RedisError as error:
                log.warning("page_cache_away", reason=one_line(error))
        return entry.as_found()

    if lookup is None or lookup.about is not None:
        return make_once(False)
    return single_flight(key, make_once)
