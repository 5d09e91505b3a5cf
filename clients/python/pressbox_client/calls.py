"""Sending a request and reading its answer, tried again where that is safe."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from http.client import HTTPResponse
from typing import Any, TypeVar

Json = dict[str, Any]
Read = TypeVar("Read")
LONGEST_WAIT = 60.0


class ApiError(Exception):
    """An answer above 399: `status`, `detail` (what to do) and `errors` (each field), as the
    problem says.
    """

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail', 'no detail')}")
        self.status = status
        self.detail = str(problem.get("detail", ""))
        self.errors = list(problem.get("errors", ()))


@dataclass(repr=False)
class Calls:
    """What every group of operations stands on.

    `tries`: how often a request is sent at most while the answer is 429 or 503 or nobody answers.
    """

    url: str
    _: KW_ONLY
    key: str = ""
    token: str = ""
    tries: int = 5
    timeout: float = 15.0
    sleep: Callable[[float], object] = time.sleep

    def _call(self, method: str, path: str, **parts: Any) -> Json:
        return self._send(method, path, whole, **parts)

    def _lines(self, method: str, path: str, **parts: Any) -> Iterator[Json]:
        """The lines of JSON as they come."""
        with self._send(method, path, lambda answer: answer, **parts) as lines:
            yield from map(json.loads, lines)

    def _events(self, method: str, path: str, **parts: Any) -> Iterator[Json]:
        """Server-sent events as they come, `{"id": ..., "event": ..., "data": {...}}`.

        Comments are none.
        """
        with self._send(method, path, lambda answer: answer, **parts) as lines:
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

    def _send(
        self,
        method: str,
        path: str,
        read: Callable[[HTTPResponse], Read],
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Mapping[str, object] | None = None,
        tries: int | None = None,
    ) -> Read:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self.url.rstrip('/')}{path}" + (
            f"?{urllib.parse.urlencode(given)}" if given else ""
        )
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        if self.key or self.token:
            sent["Authorization"] = f"Bearer {self.key or self.token}"
        data = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            data = json.dumps(
                {name: value for name, value in body.items() if value is not None}
            ).encode()
        last = (tries or self.tries) - 1
        for number in range(last + 1):
            request = urllib.request.Request(url, data, sent, method=method)  # noqa: S310  (the caller's own address)
            try:
                return read(urllib.request.urlopen(request, timeout=self.timeout))  # noqa: S310
            except urllib.error.HTTPError as error:
                with error:
                    if error.code not in (429, 503) or number == last:
                        raise ApiError(error.code, problem(error.read())) from None
                    self.sleep(
                        min(float(error.headers.get("Retry-After", 2**number)), LONGEST_WAIT)
                    )
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                if number == last:
                    raise
                self.sleep(min(float(2**number), LONGEST_WAIT))
        raise AssertionError("the last try returns or raises")


def known(kind: type, given: Mapping[str, Any]) -> Json:
    """What was given by keyword.

    Raises TypeError for a name that `kind` has not, as any function does.
    """
    if unknown := given.keys() - kind.__annotations__.keys():
        raise TypeError(f"unexpected keyword argument: {', '.join(sorted(unknown))}")
    return dict(given)


def whole(answer: HTTPResponse) -> Json:
    with answer:
        found: Json = json.loads(answer.read() or b"{}")  # no body: 204
    return found


def problem(data: bytes) -> Json:
    with suppress(TypeError, ValueError):  # a proxy's own page is no problem document
        return dict(json.loads(data))
    return {}


def part(name: str) -> str:
    return urllib.parse.quote(name, safe="")
