"""`cached_value` and `cached_rows`: what is loaded once for all, until one of its tags changes.

Any process may call them; pages.py caches whole pages on top of this.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast

import msgspec
import redis
import structlog
from flask import current_app, has_request_context, request

from app.core import clock
from app.core.db import db
from app.core.errors import one_line
from app.core.page_cache.conditional_get import is_caching_disabled
from app.core.page_cache.tags import ENTRY_SECONDS, Entry, Lookup, TagStore
from app.core.release import release

Rows = TypeVar("Rows")

log = structlog.get_logger(__name__)

PRELOADED = "pressbox.preloaded"


class CachedValue(NamedTuple):
    """A text that is cached until one of the tags changes, and not beyond `expires_at`."""

    text: str
    tags: Collection[str]
    expires_at: datetime | None = None


def cached_value(key: str, load: Callable[[], CachedValue | None]) -> str | None:
    """Return the cached text of the key, or load and cache it.

    Args:
        key: must contain everything that the value depends on, such as the member's id.
        load: called only if there is no valid entry. If it returns None, that is not cached.
    """
    preloaded: dict[str, Lookup | None] = (
        request.environ.get(PRELOADED, {}) if has_request_context() else {}
    )
    lookup = preloaded.pop(key) if key in preloaded else look_up([key])[0]
    if lookup is not None and lookup.body is not None:
        return lookup.body.decode()
    is_ours = not db.session().in_transaction()
    value = load()
    if is_ours:
        # the request may wait before its next statement, and should not hold a connection meanwhile
        db.session.commit()
    if value is None:
        return None
    if lookup is not None:
        store(key, Entry(lookup.moment, expires_ms(value.expires_at), value.tags, value.text))
    return value.text


def cached_rows(
    key: str,
    kind: type[Rows],
    load: Callable[[], Rows],
    tags: Collection[str],
    expires_at: datetime | None = None,
) -> Rows:
    """Return what `load` returns, from the cache until one of the tags changes.

    Args:
        key: must contain everything that the rows depend on.
        kind: the type of the rows, for example `list[GameRow]`; msgspec must know it.
        load: called only if there is no valid entry.
        tags: what the rows depend on.
        expires_at: when they change merely because time passes.
    """

    def read() -> CachedValue:
        return CachedValue(msgspec.json.encode(load()).decode(), tags, expires_at)

    hashable_kind: Any = kind
    rows: Rows = _decoder(hashable_kind).decode(cached_value(f"{key}:{release()}", read) or "null")
    return rows


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def look_up(keys: Sequence[str]) -> list[Lookup | None]:
    """Look up each key. The result is None for each of them if Redis does not answer."""
    try:
        return [*_tag_store().lookup_many(keys, clock.to_ms(clock.now()))]
    except redis.RedisError as error:
        log.warning("page_cache_away", reason=one_line(error))
        return [None] * len(keys)


def store(key: str, entry: Entry) -> None:
    """Store the entry, unless caching is disabled for this request or Redis does not answer."""
    if is_caching_disabled():
        return
    try:
        _tag_store().store(key, entry)
    except redis.RedisError as error:
        log.warning("page_cache_away", reason=one_line(error))


def _tag_store() -> TagStore:
    return cast("TagStore", current_app.extensions["tag_store"])


def expires_ms(expires_at: datetime | None) -> int:
    """Return until when an entry is kept that changes by itself at this time."""
    latest = clock.to_ms(clock.now()) + ENTRY_SECONDS * 1000
    return latest if expires_at is None else min(latest, clock.to_ms(expires_at))
