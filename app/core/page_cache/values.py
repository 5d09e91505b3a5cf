"""`cached_value`: what is loaded once for all, until one of its tags changes.

Any process may call it; pages.py caches whole pages on top of this.
"""

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
from app.core.page_cache.tags import Entry, Lookup, TagStore
from app.core.release import release

Value = TypeVar("Value")

log = structlog.get_logger(__name__)

PRELOADED = "pressbox.preloaded"


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
    preloaded: dict[str, Lookup | None] = (
        request.environ.get(PRELOADED, {}) if has_request_context() else {}
    )
    lookup = preloaded.pop(key) if key in preloaded else look_up([entry_key(key)])[0]
    if lookup is not None and lookup.body is not None:
        return cast("Value", _decoder(kind).decode(lookup.body))
    is_ours = not db.session().in_transaction()
    loaded = load()
    if is_ours:
        # the request may wait before its next statement, and should not hold a connection meanwhile
        db.session.commit()
    if loaded.tags and lookup is not None:
        body = msgspec.json.encode(loaded.value)
        store(entry_key(key), Entry(lookup.moment, loaded.tags, body, loaded.expires_at))
    return loaded.value


def entry_key(key: str) -> str:
    """Return the key of a value's entry: each release has its own."""
    return f"{key}:{release()}"


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def look_up(keys: Sequence[str]) -> list[Lookup | None]:
    """Look each key up, in one round trip. None for each of them if Redis does not answer."""
    try:
        return [*_tag_store().lookup(keys, clock.now())]
    except redis.RedisError as error:
        log.warning("page_cache_away", reason=one_line(error))
        return [None] * len(keys)


def store(key: str, entry: Entry) -> None:
    """Store the entry, unless Redis does not answer."""
    try:
        _tag_store().store(key, entry)
    except redis.RedisError as error:
        log.warning("page_cache_away", reason=one_line(error))


def _tag_store() -> TagStore:
    return cast("TagStore", current_app.extensions["tag_store"])
