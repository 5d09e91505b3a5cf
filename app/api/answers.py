"""Responses that are cheap to repeat: an ETag, 304 if nothing changed, compression on request.

The ETag is weak: it covers the content of an answer, not its time and source (`as_of`, `source`).
So a board that did not change gives a 304 however often it is read. Called by operations.py and
shared_answers.py; pages are in app/core/http/responses.py.
"""

from __future__ import annotations

import gzip
import hashlib

import msgspec
from flask import Response, request
from werkzeug.datastructures import Accept

# Of a body: how fresh it is. Everything else is what it says.
ABOUT_THE_ANSWER = frozenset(
    {"cache_hit", "source", "as_of", "age_ms", "verified_at", "stale_after_ms"}
)
SMALLEST_COMPRESSED = 1_000  # bytes; a smaller answer is one packet anyway
LEVEL = 5

encode = msgspec.json.Encoder(decimal_format="number").encode


def read_answer(body: msgspec.Struct) -> Response:
    """The answer to a GET: 304 if the client has it already."""
    data = encode(body)
    return answer_with(data, etag_of(body, data))


def answer_with(data: bytes, etag: str) -> Response:
    """The answer to a GET with this JSON and weak ETag."""
    response = Response(data, mimetype="application/json")
    response.set_etag(etag, weak=True)
    response.cache_control.no_cache = True  # keep it, but ask each time
    response.vary.update(["Accept-Encoding", "Authorization"])
    if is_compressed(data, request.accept_encodings):
        response.set_data(compressed(data))
        response.headers["Content-Encoding"] = "gzip"
    response.make_conditional(request)
    return response


def is_compressed(data: bytes, encodings: Accept) -> bool:
    """Whether the client takes this answer compressed, and it is worth it."""
    return len(data) >= SMALLEST_COMPRESSED and encodings["gzip"] > 0


def compressed(data: bytes) -> bytes:
    """The answer for clients that take gzip."""
    return gzip.compress(data, LEVEL, mtime=0)


def etag_of(body: msgspec.Struct, data: bytes) -> str:
    """The weak ETag of a body, of which `data` is the JSON."""
    fields = body.__struct_fields__
    if ABOUT_THE_ANSWER & set(fields):
        data = encode([getattr(body, name) for name in fields if name not in ABOUT_THE_ANSWER])
    return hashlib.sha256(data).hexdigest()[:32]
