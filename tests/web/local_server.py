"""The web server with a small application, in a thread of the test's own process."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from typing import Any

import pytest

from app.core.serving import REFUSED_BY_SERVER
from tests.waiting import join, patience
from workers.web.server import bind, make_server

CLIENT_SECONDS = patience(20)


def milliseconds(port: int, path: str, count: int) -> list[float]:
    """Sorted times of `count` pages on connections of their own.

    Fails when one is not answered in CLIENT_SECONDS.
    """
    times = []
    for _ in range(count):
        began = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CLIENT_SECONDS)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        connection.close()
        times.append((time.perf_counter() - began) * 1000)
    return sorted(times)


class Local:
    """A server of a small application in a thread of this process."""

    def __init__(self, application: Callable[..., Iterable[bytes]], slots: int = 2) -> None:
        self.socket = bind("127.0.0.1", 0)
        self.port: int = self.socket.getsockname()[1]
        self.server = make_server(application, self.socket, slots=slots)
        self.gateway = self.server.gateway
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        self.connections: list[socket.socket] = []

    def connect(self) -> socket.socket:
        """A new connection, which `stop` closes."""
        self.connections.append(
            socket.create_connection(("127.0.0.1", self.port), timeout=CLIENT_SECONDS)
        )
        return self.connections[-1]

    def begin_stop(self) -> None:
        """As SIGTERM does."""
        self.server.should_exit = True

    def stop(self) -> None:
        for connection in self.connections:
            connection.close()
        self.begin_stop()
        join(self.thread)


@pytest.fixture
def local() -> Iterator[Callable[..., Local]]:
    started: list[Local] = []

    def start(application: Callable[..., Iterable[bytes]]) -> Local:
        started.append(Local(application))
        return started[-1]

    yield start
    for server in started:
        server.stop()


def hello(environ: Any, start_response: Any) -> Iterable[bytes]:
    status = environ.get(REFUSED_BY_SERVER, 200)
    start_response(f"{status} {HTTPStatus(status).phrase}", [("Content-Length", "5")])
    return [b"hello"]
