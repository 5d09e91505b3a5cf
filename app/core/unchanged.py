"""Unchanged polls answered from memory: the empty 304 that this poll got less than half a minute ago, if all on which
it rested is as it was. Without the database, in one round trip to Redis, ahead of Flask.

A view whose answer may be remembered says what it rests on (`rests_on`); finding out who is signed in adds to it.
What is remembered lies under a hash of the whole request: address, cookies, ETag. So a memory serves the one browser
that got the answer, and its cookie need not be read again. Whatever is doubtful goes the usual way. Not here: stamps
(stamps.py). Why: decision 53.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import redis
import structlog
from flask import Flask, has_request_context, request

from app.core import clock
from app.core.errors import one_line
from app.core.stamps import MEMORY_SECONDS, Memory, Stamps

log = structlog.get_logger(__name__)

UNCHANGED = "304 NOT MODIFIED"
PAUSE_SECONDS = 1.0  # without asking a Redis that did not answer
RESTS_ON, ALSO = "pressbox.rests_on", "pressbox.also_rests_on"

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
            found = self._stamps.look(key, clock.to_ms(clock.now()))
        except redis.RedisError as error:
            self._rest(error)
            return self._application(environ, start_response)
        if isinstance(found, bytes):
            start_response(UNCHANGED, list(_headers(found)))
            return []
        return self._answer(environ, start_response, key, found)

    def _answer(self, environ: Environ, start_response: Callable[..., Any], key: str, at: int) -> Iterable[bytes]:
        answered: Headers = []

        def start(status: str, headers: Headers, *more: Any) -> Any:
            if status == UNCHANGED:
                answered.extend(headers)
            return start_response(status, headers, *more)

        body = self._application(environ, start)
        if answered and RESTS_ON in environ:
            self._remember(key, at, environ[RESTS_ON] + environ.get(ALSO, []), answered)
        return body

    def _remember(self, key: str, at: int, reasons: list[Reason], headers: Headers) -> None:
        if any(name.lower() == "set-cookie" for name, _ in headers):
            return
        ends = [clock.to_ms(reason.until) for reason in reasons if reason.until is not None]
        ends.append(clock.to_ms(clock.now()) + MEMORY_SECONDS * 1000)
        names = sorted({name for reason in reasons for name in reason.names})
        counters = {key: value for reason in reasons for key, value in reason.counters.items()}
        try:
            self._stamps.remember(key, Memory(at, min(ends), names, json.dumps(headers), counters))
        except redis.RedisError as error:
            self._rest(error)

    def _rest(self, error: redis.RedisError) -> None:
        self._asks_again = time.monotonic() + PAUSE_SECONDS
        log.warning("polls_not_remembered", reason=one_line(error))


def _key(environ: Environ) -> str | None:
    """Of a poll: everything by which its answer may differ. None: not a poll of a fragment."""
    tag = environ.get("HTTP_IF_NONE_MATCH")
    if tag is None or "HTTP_HX_REQUEST" not in environ or environ["REQUEST_METHOD"] != "GET":
        return None
    parts = (
        environ.get("SCRIPT_NAME", ""),
        environ.get("PATH_INFO", ""),
        environ.get("QUERY_STRING", ""),
        environ.get("HTTP_COOKIE", ""),
        environ["HTTP_HX_REQUEST"],
        tag,
    )
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=1024)
def _headers(answer: bytes) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in json.loads(answer))


def init_app(app: Flask) -> None:
    """To be called last: in front of everything else that answers."""
    app.wsgi_app = UnchangedPolls(app.wsgi_app, app.extensions["stamps"])  # type: ignore[method-assign]
