"""A publisher on the loopback address that serves files as they stand at a moment of a test."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from threading import Event

from tests.http_server import Quiet, running


@dataclass
class Publisher:
    """Serves `files` by path, with an ETag; other paths are not found.

    Attributes:
        faults: What is answered in place of a file, by path: a status, its headers, and how the
            body is sent.
        asked: Path and status of each answer so far.
    """

    origin: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    asked: list[tuple[str, int]] = field(default_factory=list)

    def address(self, path: str) -> str:
        return f"{self.origin}/{path}"

    def statuses(self, path: str) -> list[int]:
        """Of the answers to this path so far."""
        return [status for asked, status in self.asked if asked == path]


@dataclass(frozen=True)
class Fault:
    """An answer that is no file.

    Attributes:
        headers: In place of the usual ones; without those whose value is empty.
        cut: How many bytes of the body are missing at its end.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    cut: int = 0
    is_slow: bool = False


class _Handler(Quiet):
    server: _Server

    def do_GET(self) -> None:  # noqa: N802 (its name in http.server)
        publisher, path = self.server.publisher, self.path.lstrip("/")
        if path in publisher.faults:
            self._fault(publisher, path)
            return
        body = publisher.files.get(path)
        if body is None:
            self._answer(publisher, path, 404, b"Not Found", {})
            return
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        is_known = self.headers.get("If-None-Match") == etag
        self._answer(publisher, path, 304 if is_known else 200, body, {"ETag": etag})

    def _answer(
        self, publisher: Publisher, path: str, status: int, body: bytes, headers: dict[str, str]
    ) -> None:
        publisher.asked.append((path, status))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        sent = b"" if status == 304 else body
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def _fault(self, publisher: Publisher, path: str) -> None:
        fault = publisher.faults[path]
        publisher.asked.append((path, fault.status))
        self.send_response(fault.status)
        headers = {"Content-Length": str(len(fault.body))} | fault.headers
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        if fault.is_slow:
            self.server.stopping.wait(30)
            return
        self.wfile.write(fault.body[: len(fault.body) - fault.cut])


class _Server(ThreadingHTTPServer):
    def __init__(self, publisher: Publisher, stopping: Event) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.publisher = publisher
        self.stopping = stopping


@contextmanager
def publishing() -> Iterator[Publisher]:
    """A publisher that runs for the length of the block."""
    publisher, stopping = Publisher(), Event()
    with running(_Server(publisher, stopping)) as publisher.origin:
        try:
            yield publisher
        finally:
            stopping.set()
