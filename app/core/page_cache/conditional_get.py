"""Conditional GET: answers polls before Flask and without the database, in one round trip to Redis.

When a browser gets a fragment of a cached page, the key of the page's entry is stored under a hash
of the request, including the cookie, with the tags on which access depends. The next poll is
answered with 304 if the page has not changed, and with its newest version as soon as some request
has rendered it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import redis
import structlog
from flask import Flask, has_request_context, request
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock
from app.core.errors import one_line
from app.core.page_cache.placeholders import RenderedPage, ViewerRow
from app.core.page_cache.tags import POLL_SECONDS, Entry, PollLookup, TagStore

log = structlog.get_logger(__name__)

NOT_MODIFIED, OK = "304 NOT MODIFIED", "200 OK"
FORM = 4  # of polls' entries; entries with another form are not read
PAUSE_SECONDS = 1.0  # after an error, Redis is not asked for this long
ACCESS_DEPENDENCIES = "pressbox.access_dependencies"
POINTER, DISABLED = "pressbox.page_pointer", "pressbox.caching_disabled"
SINGLE_TAG = re.compile(r'"[^"]*"\Z')
OF_ONE_BODY = ("etag", "content-length", "content-type")
HTML = ("Content-Type", "text/html; charset=utf-8")

Environ = dict[str, Any]
Headers = list[tuple[str, str]]
StartResponse = Callable[..., Any]


class _Dependency(NamedTuple):
    tags: tuple[str, ...]
    expires_at: datetime | None


class _CachedPoll(NamedTuple):
    """What a poll gets besides the cached page with this key."""

    page_key: str
    headers: Headers
    viewer_row: ViewerRow

    def dump(self) -> str:
        return f"{self.page_key}\n{json.dumps([self.headers, self.viewer_row])}"


def access_depends_on(*tags: str, expires_at: datetime | None = None) -> None:
    """Declare what the viewer's access, and their row, depend on besides the page's own tags."""
    if has_request_context():
        dependency = _Dependency(tags, expires_at)
        request.environ.setdefault(ACCESS_DEPENDENCIES, []).append(dependency)


def disable_caching() -> None:
    """Do not cache any part of this request: its data may change without raising a tag."""
    if has_request_context():
        request.environ[DISABLED] = True


def is_caching_disabled() -> bool:
    """Whether caching is disabled for this request."""
    return has_request_context() and bool(request.environ.get(DISABLED))


def cache_poll(page_key: str, viewer_row: ViewerRow) -> None:
    """Allow the next poll of this browser to be answered with the cached page.

    Args:
        page_key: the key of the page's entry.
        viewer_row: the viewer's row, which is filled in.
    """
    request.environ[POINTER] = (page_key, viewer_row)


class _Answer(NamedTuple):
    """A whole response from the cache; `status` as in WSGI."""

    status: str
    headers: Headers
    body: bytes


class PollCache:
    """Looks polls up, and stores the application's responses (WSGI middleware)."""

    def __init__(self, application: Callable[..., Iterable[bytes]], tag_store: TagStore) -> None:
        self._application = application
        self._tag_store = tag_store
        self._ask_again_at = 0.0

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request (WSGI)."""
        key = _poll_key(environ)
        if key is None or time.monotonic() < self._ask_again_at:
            return self._application(environ, start_response)
        try:
            lookup = self._tag_store.lookup_poll(
                key, _shown_version(environ), clock.to_ms(clock.now())
            )
        # A new process first asks PostgreSQL for its timeline.
        except (redis.RedisError, SQLAlchemyError) as error:
            self._pause(error)
            return self._application(environ, start_response)
        answer = _cached_answer(environ, lookup)
        if answer is None:
            return self._ask_application(environ, start_response, key, lookup.moment)
        start_response(answer.status, answer.headers)
        return [answer.body] if answer.body else []

    def _ask_application(
        self, environ: Environ, start_response: StartResponse, key: str, moment: int
    ) -> Iterable[bytes]:
        started: dict[str, Headers] = {}

        def start(status: str, headers: Headers, *exc_info: Any) -> Any:
            started[status] = headers
            return start_response(status, headers, *exc_info)

        body = self._application(environ, start)
        headers = started.get(OK) or started.get(NOT_MODIFIED)
        if headers is not None and POINTER in environ and DISABLED not in environ:
            page_key, viewer_row = environ[POINTER]
            access = environ.get(ACCESS_DEPENDENCIES, [])
            self._store(key, moment, access, _CachedPoll(page_key, headers, viewer_row))
        return body

    def _store(
        self, key: str, moment: int, dependencies: list[_Dependency], poll: _CachedPoll
    ) -> None:
        if any(name.lower() == "set-cookie" for name, _ in poll.headers):
            return
        headers = [header for header in poll.headers if header[0].lower() not in OF_ONE_BODY]
        poll = poll._replace(headers=[HTML, *headers])  # a 304 has no Content-Type
        expiries = [
            clock.to_ms(each.expires_at) for each in dependencies if each.expires_at is not None
        ]
        expiries.append(clock.to_ms(clock.now()) + POLL_SECONDS * 1000)
        tags = sorted({tag for each in dependencies for tag in each.tags})
        try:
            entry = Entry(moment, min(expiries), tags, poll.dump())
            self._tag_store.store(key, entry, POLL_SECONDS)
        except redis.RedisError as error:
            self._pause(error)

    def _pause(self, error: Exception) -> None:
        self._ask_again_at = time.monotonic() + PAUSE_SECONDS
        log.warning("poll_cache_away", reason=one_line(error))


def _cached_answer(environ: Environ, lookup: PollLookup) -> _Answer | None:
    """Return None if the application has to answer.

    A page may be personal: whoever stored the poll's entry did not need to render it. After a final
    page the view tells the browser to stop polling.
    """
    if lookup.poll is None:
        return None
    poll = _load_poll(lookup.poll)
    page = None if lookup.page is None else RenderedPage.load(lookup.page)
    if page is None or page.is_final:
        return None
    etag = ("ETag", f'"f{page.version}"')
    if page.version == _shown_version(environ):
        headers = [header for header in poll.headers if header[0] != "Content-Type"]
        return _Answer(NOT_MODIFIED, [*headers, etag], b"")
    if page.body is None or page.is_personal:
        return None
    body = page.fill(poll.viewer_row, {})
    return _Answer(OK, [*poll.headers, etag, ("Content-Length", str(len(body)))], body)


@lru_cache(maxsize=1024)
def _load_poll(dumped: bytes) -> _CachedPoll:
    page_key, _, packed = dumped.decode().partition("\n")
    headers, viewer_row = json.loads(packed)
    headers = [(name, value) for name, value in headers]
    return _CachedPoll(page_key, headers, ViewerRow(*viewer_row))


def _poll_key(environ: Environ) -> str | None:
    """Return a hash of everything that a poll's response depends on, except the shown version.

    None if the request is not a poll.
    """
    etag = environ.get("HTTP_IF_NONE_MATCH")
    if (
        "HTTP_HX_REQUEST" not in environ
        or environ["REQUEST_METHOD"] != "GET"
        or (etag is not None and not SINGLE_TAG.match(etag))
    ):
        return None
    names = ("SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "HTTP_COOKIE", "HTTP_HX_REQUEST")
    values = tuple(environ.get(name, "") for name in names)
    return blake2b(repr((FORM, *values)).encode(), digest_size=16).hexdigest()


def _shown_version(environ: Environ) -> str:
    """Return the version that the browser shows; '' for an ETag of another kind."""
    etag: str = environ.get("HTTP_IF_NONE_MATCH", "")
    return etag[2:-1] if etag.startswith('"f') and etag.endswith('"') else ""


def init_app(app: Flask) -> None:
    """Install the middleware. Call it last, so that it runs before everything else that answers."""
    app.wsgi_app = PollCache(app.wsgi_app, app.extensions["tag_store"])  # type: ignore[method-assign]
