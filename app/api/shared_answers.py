"""Answers that are the same for everybody who may read a board: encoded once, until it changes.

An answer is an entry of the page cache (app/core/page_cache), with the tags and counters of what it
shows. `SharedAnswers` answers an unsigned request with a valid entry before Flask, in one round
trip to Redis. Every other request is answered by its operation, which calls `shared_answer`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
import redis
import structlog
from flask import Flask, Response, request
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.http import parse_accept_header, parse_etags

from app.api.answers import answer_with, compressed, encode, etag_of, is_compressed
from app.core import clock, metrics
from app.core.errors import one_line
from app.core.page_cache.tags import Entry, Lookup, TagStore
from app.core.page_cache.values import PRELOADED, fetch
from app.core.release import release, release_of

log = structlog.get_logger(__name__)

_IS_SHARED = "pressbox.is_shared_answer"
# Where the moment of the answer belongs in a shared text. JSON has no such character.
_NOW = b'"as_of":"\x00"'
OF_ONE_ANSWER = ("etag", "content-length", "content-encoding", "date")  # the server adds its date
# Answers to requests with one of these headers differ: for players and members who are hidden from
# everybody else, for pages of other origins, and for who wants a certain version or part.
OWN_HEADERS = ("HTTP_AUTHORIZATION", "HTTP_COOKIE", "HTTP_ORIGIN", "HTTP_RANGE", "HTTP_IF_MATCH")
# In characters, twice what the longest reading needs. Redis keeps an answer with its query, which
# may have any number of `&`.
LONGEST_QUERY = 200
# Anybody may ask for as many answers as there are players, each of up to 50 KB.
SHARED_SECONDS = 5

Headers = list[tuple[str, str]]


class SharedBody(NamedTuple):
    """A body that is the same for everybody until one of the tags or counters changes.

    See app/core/page_cache/tags.py; without tags it is not shared. Its `as_of` is the moment of the
    reading, and of a shared answer the moment of that answer, when nothing had changed yet.
    """

    body: msgspec.Struct
    tags: Collection[str]
    counters: Mapping[str, str]
    expires_at: datetime | None


def shared_answer(read: Callable[[], SharedBody]) -> Response:
    """The answer to this request, a GET, which one request reads and encodes for all."""

    def make() -> Entry:
        shared = read()
        data = encode(shared.body)
        moment = b'"as_of":' + encode(shared.body.as_of)  # type: ignore[attr-defined]
        tags = shared.tags if len(request.query_string) <= LONGEST_QUERY else ()
        return Entry(
            tags,
            data.replace(moment, _NOW, 1) if tags else data,
            shared.expires_at,
            about=etag_of(shared.body, data),
            counters=shared.counters,
            seconds=SHARED_SECONDS,
        )

    lookup = fetch(_key(request.environ, release()), make)
    response = answer_with(_as_of_now(lookup.body or b""), (lookup.about or b"").decode())
    request.environ[_IS_SHARED] = True
    return response


def _key(environ: Mapping[str, Any], of_release: str) -> str:
    return f"answer:{of_release}:{environ['PATH_INFO']}?{environ.get('QUERY_STRING', '')}"


def _as_of_now(body: bytes) -> bytes:
    return body.replace(_NOW, b'"as_of":' + encode(clock.now()), 1)


class SharedAnswers:
    """Answers unsigned requests for boards with what is shared (WSGI middleware)."""

    def __init__(self, app: Flask) -> None:
        self._application: Callable[..., Iterable[bytes]] = app.wsgi_app
        self._tag_store: TagStore = app.extensions["tag_store"]
        self._release = release_of(str(app.static_folder))
        self._headers: Headers = []  # of every shared answer, learnt from the first

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer a request (WSGI)."""
        if not _may_be_shared(environ):
            return self._application(environ, start_response)
        began = time.perf_counter()
        key = _key(environ, self._release)
        try:
            (lookup,) = self._tag_store.lookup([key], clock.now())
        # A new process first asks PostgreSQL for its timeline.
        except (redis.RedisError, SQLAlchemyError) as error:
            log.warning("answers_away", reason=one_line(error))
            return self._application(environ, start_response)
        if lookup.about is None or not self._headers:
            environ[PRELOADED] = {key: lookup}
            return self._application(environ, self._learning(environ, start_response))
        status, headers, body = self._answer(environ, lookup)
        start_response(status, headers)
        metrics.observe(metrics.READ, time.perf_counter() - began)
        return [body]

    def _answer(self, environ: Mapping[str, Any], lookup: Lookup) -> tuple[str, Headers, bytes]:
        etag = (lookup.about or b"").decode()
        headers = [*self._headers, ("ETag", f'W/"{etag}"')]
        if parse_etags(environ.get("HTTP_IF_NONE_MATCH")).contains_weak(etag):
            lasting = [header for header in headers if header[0] != "Content-Type"]
            return "304 NOT MODIFIED", lasting, b""
        body = _as_of_now(lookup.body or b"")
        accepted = parse_accept_header(environ.get("HTTP_ACCEPT_ENCODING"))
        if is_compressed(body, accepted):
            body = compressed(body)
            headers.append(("Content-Encoding", "gzip"))
        return "200 OK", [*headers, ("Content-Length", str(len(body)))], body

    def _learning(
        self, environ: Mapping[str, Any], start_response: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return a `start_response` that keeps the headers of a shared answer."""

        def start(status: str, headers: Headers, *exc_info: Any) -> Any:
            if _IS_SHARED in environ and status == "200 OK":
                self._headers = [
                    header for header in headers if header[0].lower() not in OF_ONE_ANSWER
                ]
            return start_response(status, headers, *exc_info)

        return start


def _may_be_shared(environ: Mapping[str, Any]) -> bool:
    path: str = environ["PATH_INFO"]
    return (
        environ["REQUEST_METHOD"] == "GET"
        and path.startswith("/v1/games/")
        and "/leaderboards/" in path
        and not any(header in environ for header in OWN_HEADERS)
    )


def init_app(app: Flask) -> None:
    """Install the middleware."""
    app.wsgi_app = SharedAnswers(app)  # type: ignore[method-assign]
