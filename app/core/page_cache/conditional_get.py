"""Conditional GET: answers polls before Flask and without the database, in one round trip to Redis.

A fragment's page key and headers are stored under a hash of the request, with the tags on which
access depends. The next poll gets a 304 if the page has not changed, and otherwise its newest
version as soon as some request has rendered it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import redis
import structlog
from flask import Flask, has_request_context, request
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock
from app.core.errors import one_line
from app.core.page_cache.placeholders import RenderedPage, ViewersOwn
from app.core.page_cache.tags import POLL_SECONDS, Entry, Lookup, TagStore

log = structlog.get_logger(__name__)

NOT_MODIFIED, OK = "304 NOT MODIFIED", "200 OK"
ACCESS, PAGE = "pressbox.access_dependencies", "pressbox.page_of_poll"
SINGLE_TAG = re.compile(r'"(?:f([^"]*)|[^"]*)"\Z')  # with the version of a fragment
OF_ONE_BODY = ("etag", "content-length", "content-type")
HTML = ("Content-Type", "text/html; charset=utf-8")

Environ = dict[str, Any]
Headers = list[tuple[str, str]]


def access_depends_on(*tags: str, expires_at: datetime | None = None) -> None:
    """Declare what the viewer's access, and their row, depend on besides the page's own tags."""
    if has_request_context():
        request.environ.setdefault(ACCESS, []).append((tags, expires_at))


def cache_poll(page_key: str, viewers_own: ViewersOwn) -> None:
    """Let the next polls of this browser be answered with the cached page and the viewer's row."""
    request.environ[PAGE] = (page_key, viewers_own[:2])


class PollCache:
    """Looks polls up, and stores what the application answers (WSGI middleware)."""

    def __init__(self, application: Callable[..., Iterable[bytes]], tag_store: TagStore) -> None:
        self._application = application
        self._tag_store = tag_store

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request (WSGI)."""
        tag = SINGLE_TAG.match(environ.get("HTTP_IF_NONE_MATCH", '""'))
        is_poll = environ["REQUEST_METHOD"] == "GET" and "HTTP_HX_REQUEST" in environ
        if not is_poll or tag is None:
            return self._application(environ, start_response)
        key = _poll_key(environ)
        try:
            poll, *pages = self._tag_store.lookup([key], clock.now(), tag[1] or "")
        # A new process first asks PostgreSQL for its timeline.
        except (redis.RedisError, SQLAlchemyError) as error:
            log.warning("poll_cache_away", reason=one_line(error))
            return self._application(environ, start_response)
        answer = _cached_answer(poll.about, pages[0]) if poll.about and pages else None
        if answer is not None:
            status, headers, body = answer
            start_response(status, headers)
            return [body]

        def start(status: str, headers: Headers, *exc_info: Any) -> Any:
            if status in (OK, NOT_MODIFIED) and PAGE in environ:
                self._store(key, poll.moment, environ, headers)
            return start_response(status, headers, *exc_info)

        return self._application(environ, start)

    def _store(self, key: str, moment: int, environ: Environ, headers: Headers) -> None:
        if any(name.lower() == "set-cookie" for name, _ in headers):
            return
        page_key, row_and_link = environ[PAGE]
        lasting = [header for header in headers if header[0].lower() not in OF_ONE_BODY]
        tags: set[str] = set()
        ends: list[datetime] = []
        for access_tags, expires_at in environ.get(ACCESS, []):
            tags.update(access_tags)
            ends += [expires_at] if expires_at is not None else []
        about = json.dumps([[HTML, *lasting], row_and_link])
        entry = Entry(
            tags,
            expires_at=min(ends, default=None),
            about=about,
            page=page_key,
            seconds=POLL_SECONDS,
        )
        try:
            self._tag_store.store(key, moment, entry)
        except redis.RedisError as error:
            log.warning("poll_cache_away", reason=one_line(error))


def _cached_answer(poll: bytes, page_lookup: Lookup) -> tuple[str, Headers, bytes] | None:
    """Return status, headers and body, or None if the application has to answer.

    It does so for a new personal page, and for a final page, which tells the browser to stop.
    """
    if page_lookup.about is None:
        return None
    headers, viewers_own = _load_poll(poll)
    page = RenderedPage.load(page_lookup)
    if page.is_final:
        return None
    etag = ("ETag", f'"f{page.version}"')
    if page.body is None:
        return NOT_MODIFIED, [*headers[1:], etag], b""
    if page.is_personal:
        return None
    body = page.fill(viewers_own)
    return OK, [*headers, etag, ("Content-Length", str(len(body)))], body


@lru_cache(maxsize=1024)
def _load_poll(about: bytes) -> tuple[Headers, ViewersOwn]:
    """Return the headers, of which HTML is the first, and the viewer's row."""
    headers, row_and_link = json.loads(about)
    return [(name, value) for name, value in headers], ViewersOwn(*row_and_link)


def _poll_key(environ: Environ) -> str:
    """Return a hash of everything that a poll's response depends on, except the shown version."""
    names = ("SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "HTTP_COOKIE", "HTTP_HX_REQUEST")
    values = [environ.get(name, "") for name in names]
    return blake2b(repr(values).encode(), digest_size=16).hexdigest()


def init_app(app: Flask) -> None:
    """Install the middleware. Call it last, so that it runs before everything else that answers."""
    app.wsgi_app = PollCache(app.wsgi_app, app.extensions["tag_store"])  # type: ignore[method-assign]
