"""Sending a request and reading its answer, with retries if they are safe."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from http import HTTPStatus
from http.client import HTTPResponse
from typing import Any, TypeVar

Json = dict[str, Any]
Read = TypeVar("Read")
LONGEST_WAIT = 60.0  # seconds
TRY_AGAIN = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


class ApiError(Exception):
    """An answer with a status above 399.

    Attributes:
        status: the HTTP status.
        detail: what to do, from the problem document.
        errors: one entry per field that is wrong.
    """

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail', 'no detail')}")
        self.status = status
        self.detail = str(problem.get("detail", ""))
        self.errors = list(problem.get("errors", ()))


@dataclass(frozen=True)
class _Request:
    method: str
    path: str
    _: KW_ONLY
    query: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    tries: int | None = None


def _without_none(values: Mapping[str, Any]) -> Json:
    return {name: value for name, value in values.items() if value is not None}


@dataclass(repr=False)
class Calls:
    """Base of every group of operations; Client explains the attributes."""

    url: str
    _: KW_ONLY
    key: str = ""
    token: str = ""
    tries: int = 5
    timeout: float = 15.0
    sleep: Callable[[float], object] = time.sleep

    def _call(self, method: str, path: str, **parts: Any) -> Json:
        return self._send(_Request(method, path, **parts), _read_json)

    def _lines(self, method: str, path: str, **parts: Any) -> Iterator[Json]:
        """Yield the lines of JSON as they arrive."""
        with self._send(_Request(method, path, **parts), lambda answer: answer) as lines:
            yield from map(json.loads, lines)

    def _events(self, method: str, path: str, **parts: Any) -> Iterator[Json]:
        """Yield server-sent events as they arrive, `{"id": ..., "event": ..., "data": {...}}`.

        Comments are left out.
        """
        with self._send(_Request(method, path, **parts), lambda answer: answer) as lines:
            event: Json = {}
            for line in lines:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name in ("id", "event"):
                    event[name] = value
                elif name == "data":
                    event[name] = json.loads(value)
                elif not line.strip():
                    if "data" in event:
                        yield event
                    event = {}

    def _send(self, call: _Request, read: Callable[[HTTPResponse], Read]) -> Read:
        query = _without_none(call.query)
        url = f"{self.url.rstrip('/')}{call.path}" + (
            f"?{urllib.parse.urlencode(query)}" if query else ""
        )
        headers = _without_none(call.headers)
        if self.key or self.token:
            headers["Authorization"] = f"Bearer {self.key or self.token}"
        data = None
        if call.body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(_without_none(call.body)).encode()
        last = (call.tries or self.tries) - 1
        for number in range(last + 1):
            request = urllib.request.Request(url, data, headers, method=call.method)  # noqa: S310  (the caller's own address)
            try:
                return read(urllib.request.urlopen(request, timeout=self.timeout))  # noqa: S310
            except urllib.error.HTTPError as error:
                with error:
                    if error.code not in TRY_AGAIN or number == last:
                        raise ApiError(error.code, _problem(error.read())) from None
                    self.sleep(
                        min(float(error.headers.get("Retry-After", 2**number)), LONGEST_WAIT)
                    )
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                if number == last:
                    raise
                self.sleep(min(float(2**number), LONGEST_WAIT))
        raise AssertionError("the last try returns or raises")


def known(kind: type, options: Mapping[str, Any]) -> Json:
    """Return the keyword arguments.

    Raises:
        TypeError: `kind`, a TypedDict, does not have one of them.
    """
    if unknown := options.keys() - kind.__annotations__.keys():
        raise TypeError(f"unexpected keyword argument: {', '.join(sorted(unknown))}")
    return dict(options)


def _read_json(answer: HTTPResponse) -> Json:
    with answer:
        content: Json = json.loads(answer.read() or b"{}")  # no body: 204
    return content


def _problem(data: bytes) -> Json:
    with suppress(TypeError, ValueError):  # a proxy's own page is no problem document
        return dict(json.loads(data))
    return {}


def part(name: str) -> str:
    """Return the name as one segment of a path."""
    return urllib.parse.quote(name, safe="")
