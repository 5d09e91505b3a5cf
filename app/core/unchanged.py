"""Polls answered from memory, without the database, in one round trip to Redis, ahead of Flask: with the empty 304 that
this poll got less than half a minute ago, if all on which it rested is as it was; or with the fragment as it is now,
which somebody had rendered for everybody (parts.py), if this browser was given it less than half a minute ago.

A view whose answer may be remembered says what it rests on (`rests_on`); finding out who is signed in adds to it.
What is remembered lies under a hash of the whole request: address, cookies, ETag. So a memory serves the one browser
that got the answer, and its cookie need not be read again. Whatever is doubtful goes the usual way. Not here: stamps
(stamps.py). Why: decision 53.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
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
from app.core.part_text import Own, Part
from app.core.stamps import MEMORY_SECONDS, Memory, Stamps

log = structlog.get_logger(__name__)

UNCHANGED = "304 NOT MODIFIED"
PAUSE_SECONDS = 1.0  # without asking a Redis that did not answer
OK = "200 OK"
NOTHING = "pressbox.remember_nothing"
RESTS_ON, ALSO, FOLLOWS = "pressbox.rests_on", "pressbox.also_rests_on", "pressbox.follows"
ONE_TAG = re.compile(r'"[^"]*"\Z')
OF_ONE_ANSWER = ("etag", "content-length")

Environ = dict[str, Any]
Headers = list[tuple[str, str]]


class Reason(NamedTuple):
    names: tuple[str, ...]
    until: datetime | None
    counters: Mapping[str, str]


def rests_on(*names: str, until: datetime | None = None, counters: Mapping[str, str] | None = None) -> None:
    """An empty 304 to this request may be remembered: besides who is signed in, it depends on these stamps alone, and
    on the time when `until` has come. `counters`: as of stamps.Memory."""
    _note(RESTS_ON, names, until, counters or {})


def also_rests_on(*names: str, until: datetime | None = None) -> None:
    """Whatever this request's view says, the answer depends on these too."""
    _note(ALSO, names, until, {})


def remember_nothing() -> None:
    """What this request reads may change without a stamp's being raised: nothing of it is remembered."""
    if has_request_context():
        request.environ[NOTHING] = True


def remembers_nothing() -> bool:
    return has_request_context() and bool(request.environ.get(NOTHING))


def _note(where: str, names: tuple[str, ...], until: datetime | None, counters: Mapping[str, str]) -> None:
    if has_request_context():
        request.environ.setdefault(where, []).append(Reason(names, until, counters))


class UnchangedPolls:
    """In front of the application: answers a poll from memory, or has it answered and remembers a 304."""

    def __init__(self, application: Callable[..., Iterable[bytes]], stamps: Stamps) -> None:
        self._application = application
        self._stamps = stamps
        self._asks_again = 0.0

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        key = _key(environ)
        if key is None or time.monotonic() < self._asks_again:
            return self._application(environ, start_response)
        try:
            found = self._stamps.follow(*key, _version_shown(environ), clock.to_ms(clock.now()))
        except (redis.RedisError, SQLAlchemyError) as error:  # a process that has just begun asks for its timeline
            self._rest(error)
            return self._application(environ, start_response)
        if isinstance(found, int):
            return self._answer(environ, start_response, key, found)
        if len(found) == 1:
            start_response(UNCHANGED, list(_headers(found[0])))
            return []
        part = Part.of(found[1])
        if part.over:  # the view says that nothing more will come
            return self._application(environ, start_response)
        return _follow(environ, start_response, found[0], part)

    def _answer(
        self, environ: Environ, start_response: Callable[..., Any], key: tuple[str, str], at: int
    ) -> Iterable[bytes]:
        answered: dict[str, Headers] = {}

        def start(status: str, headers: Headers, *more: Any) -> Any:
            answered[status] = headers
            return start_response(status, headers, *more)

        body = self._application(environ, start)
        also = environ.get(ALSO, [])
        if NOTHING in environ:
            return body
        if UNCHANGED in answered and RESTS_ON in environ:
            headers = answered[UNCHANGED]
            self._remember(key[0], at, environ[RESTS_ON] + also, headers, json.dumps(headers))
        elif OK in answered and FOLLOWS in environ:
            part, own = environ[FOLLOWS]
            headers = [one for one in answered[OK] if one[0].lower() not in OF_ONE_ANSWER]
            self._remember(key[1], at, also, answered[OK], f"{part}\n{json.dumps([headers, own])}")
        return body

    def _remember(self, key: str, at: int, reasons: list[Reason], headers: Headers, answer: str) -> None:
        if any(name.lower() == "set-cookie" for name, _ in headers):
            return
        ends = [clock.to_ms(reason.until) for reason in reasons if reason.until is not None]
        ends.append(clock.to_ms(clock.now()) + MEMORY_SECONDS * 1000)
        names = sorted({name for reason in reasons for name in reason.names})
        counters = {key: value for reason in reasons for key, value in reason.counters.items()}
        try:
            self._stamps.remember(key, Memory(at, min(ends), names, answer, counters))
        except redis.RedisError as error:
            self._rest(error)

    def _rest(self, error: Exception) -> None:
        self._asks_again = time.monotonic() + PAUSE_SECONDS
        log.warning("polls_not_remembered", reason=one_line(error))


def follows(part: str, own: Own) -> None:
    """The next poll of this browser may be given this part as it then is, with what is its own."""
    request.environ[FOLLOWS] = (part, own)


def _follow(environ: Environ, start_response: Callable[..., Any], way: bytes, part: Part) -> Iterable[bytes]:
    """The fragment, or an empty 304 if the browser has it."""
    headers, own = _way(way)
    etag = f'"f{part.version}"'
    if _version_shown(environ) == part.version:
        unchanged = [one for one in headers if one[0] != "Content-Type"]
        start_response(UNCHANGED, [*unchanged, ("ETag", etag)])
        return []
    body = part.filled(own, {})
    start_response(OK, [*headers, ("ETag", etag), ("Content-Length", str(len(body)))])
    return [body]


@lru_cache(maxsize=1024)
def _way(way: bytes) -> tuple[tuple[tuple[str, str], ...], Own]:
    headers, own = json.loads(way.partition(b"\n")[2])
    return tuple((name, value) for name, value in headers), Own(*own)


def _key(environ: Environ) -> tuple[str, str] | None:
    """Of a poll: everything by which its answer may differ; and that without what it shows already. None: not a poll of
    a fragment."""
    tag = environ.get("HTTP_IF_NONE_MATCH")
    if tag is None or "HTTP_HX_REQUEST" not in environ or environ["REQUEST_METHOD"] != "GET" or not ONE_TAG.match(tag):
        return None
    parts = (
        environ.get("SCRIPT_NAME", ""),
        environ.get("PATH_INFO", ""),
        environ.get("QUERY_STRING", ""),
        environ.get("HTTP_COOKIE", ""),
        environ["HTTP_HX_REQUEST"],
    )
    return _digest((*parts, tag)), _digest(parts)


def _version_shown(environ: Environ) -> str:
    """The version of the fragment that the browser has; '' for a tag of none of ours."""
    tag: str = environ["HTTP_IF_NONE_MATCH"]
    return tag[2:-1] if tag.startswith('"f') and tag.endswith('"') else ""


def _digest(parts: tuple[str, ...]) -> str:
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=1024)
def _headers(answer: bytes) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in json.loads(answer))


def init_app(app: Flask) -> None:
    """To be called last: in front of everything else that answers."""
    app.wsgi_app = UnchangedPolls(app.wsgi_app, app.extensions["stamps"])  # type: ignore[method-assign]
