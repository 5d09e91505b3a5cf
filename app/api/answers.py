"""Responses that are cheap to repeat: an ETag, 304 if nothing changed, compression on request.

The ETag is weak: it covers the content of an answer, not its time and source (`as_of`, `source`).
So a board that did not change gives a 304 however often it is read. What is the same for everybody
is read and encoded once, until what it shows changes (app/core/page_cache). Called by operations.py
and boards; pages are in app/core/http/responses.py.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import NamedTuple

import msgspec
from flask import Response, request

from app.core import clock
from app.core.page_cache.tags import Entry
from app.core.page_cache.values import fetch
from app.core.release import release

# Of a body: how fresh it is. Everything else is what it says.
ABOUT_THE_ANSWER = frozenset(
    {"cache_hit", "source", "as_of", "age_ms", "verified_at", "stale_after_ms"}
)
SMALLEST_COMPRESSED = 1_000  # bytes; a smaller answer is one packet anyway
LEVEL = 5

encode = msgspec.json.Encoder(decimal_format="number").encode


# Where the moment of the answer belongs in a shared text. JSON has no such character.
_NOW = b'"as_of":"\x00"'


class SharedBody(NamedTuple):
    """A body that is the same for everybody until one of the tags or counters changes.

    See app/core/page_cache/tags.py; without tags it is not shared. Its `as_of` is the moment of the
    reading, and of a shared answer the moment of that answer, when nothing had changed yet.
    """

    body: msgspec.Struct
    tags: Collection[str]
    counters: Mapping[str, str]
    expires_at: datetime | None


def shared_answer(key: str, read: Callable[[], SharedBody]) -> Response:
    """The answer to a GET, which one request reads and encodes for all."""

    def make() -> Entry:
        shared = read()
        data = encode(shared.body)
        moment = b'"as_of":' + encode(shared.body.as_of)  # type: ignore[attr-defined]
        return Entry(
            shared.tags,
            data.replace(moment, _NOW, 1) if shared.tags else data,
            shared.expires_at,
            about=_etag(shared.body, data),
            counters=shared.counters,
        )

    found = fetch(f"answer:{release()}:{key}", make)
    moment = b'"as_of":' + encode(clock.now())
    return _answer((found.body or b"").replace(_NOW, moment, 1), (found.about or b"").decode())


def read_answer(body: msgspec.Struct) -> Response:
    """The answer to a GET: 304 if the client has it already."""
    data = encode(body)
    return _answer(data, _etag(body, data))


def _answer(data: bytes, etag: str) -> Response:
    response = Response(data, mimetype="application/json")
    response.set_etag(etag, weak=True)
    response.cache_control.no_cache = True  # keep it, but ask each time
    response.vary.update(["Accept-Encoding", "Authorization"])
    if len(data) >= SMALLEST_COMPRESSED and request.accept_encodings["gzip"] > 0:
        response.set_data(gzip.compress(data, LEVEL, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    response.make_conditional(request)
    return response


def _etag(body: msgspec.Struct, data: bytes) -> str:
    fields = body.__struct_fields__
    if ABOUT_THE_ANSWER & set(fields):
        data = encode([getattr(body, name) for name in fields if name not in ABOUT_THE_ANSWER])
    return hashlib.sha256(data).hexdigest()[:32]
