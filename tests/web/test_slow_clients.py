"""Clients that stop in the middle of a request, as the web server meets them."""

from __future__ import annotations

import http.client
import re
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from flask import Flask

from app.core.input_limits import HEAD_BYTES
from app.embedded.stack import Stack
from tests.ports import kept_port
from tests.waiting import patience, until, wait_for
from tests.web.local_server import CLIENT_SECONDS, Local, hello, local, milliseconds
from workers.supervisor.children import Children
from workers.supervisor.processes import commands
from workers.web import connection as limits

TEMPLATES = Path(__file__).parents[2] / "templates"
HALF_HEAD = b"GET /sign-in HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
HALF_BODY = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nusername="

__all__ = ["local"]


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=patience(1)).close()
    except OSError:
        return False
    return True


@pytest.fixture
def site(
    app: Flask, stack: Stack, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[int]:
    """Port of the supervised web server, with as many processes as the test asks for."""
    monkeypatch.setenv("WEB_PROCESSES", str(getattr(request, "param", 1)))
    settings = replace(stack.settings, port=kept_port())
    only_web = [
        command for command in commands(settings, web=True, demo=False) if command.name == "web"
    ]
    children = Children(stack, only_web)
    children.start()
    try:
        until(lambda: listens(settings.port), "the web server listens", seconds=60)
        yield settings.port
    finally:
        children.stop()


def test_pages_answer_beside_200_half_sent_requests(
    site: int, measured: Callable[[str], None]
) -> None:
    before = milliseconds(site, "/sign-in", 100)
    connections = []
    for number in range(200):
        connection = socket.create_connection(("127.0.0.1", site), timeout=CLIENT_SECONDS)
        connection.sendall(HALF_HEAD if number % 2 else HALF_BODY)
        connections.append(connection)
    beside = milliseconds(site, "/sign-in", 100)
    still_open = sum(1 for connection in connections if not is_closed(connection))
    assert still_open == 200, "else nothing was held back"
    measured(
        f"beside 200 half-sent requests: {len(beside)} pages served, 0 lost; median "
        f"{beside[50]:.1f} ms "
        f"({before[50]:.1f} alone), slowest of 100 {beside[-1]:.1f} ms ({before[-1]:.1f} alone)"
    )
    for connection in connections:
        connection.close()


def is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False


def title_of(pid: int) -> str:
    return " ".join(psutil.Process(pid).cmdline())


@pytest.mark.parametrize("site", [2], indirect=True)
def test_several_processes_share_the_port_and_one_that_dies_is_replaced(site: int) -> None:
    def serving() -> set[int]:
        pids = set()
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # it has just been killed
                if all("workers.web" in title_of(pid) for pid in (child.pid, child.ppid())):
                    pids.add(child.pid)
        return pids

    until(lambda: len(serving()) == 2, "two processes serve")
    first = serving()
    psutil.Process(min(first)).kill()
    until(lambda: len(serving()) == 2 and serving() != first, "another one in its place")
    milliseconds(site, "/sign-in", 20)


def unchanged(_environ: Any, start_response: Any) -> Iterable[bytes]:
    start_response("304 NOT MODIFIED", [("ETag", '"1"')])
    return []


def head_of(connection: socket.socket, request: bytes) -> bytes:
    connection.sendall(request)
    read = b""
    while not read.endswith(b"\r\n\r\n"):
        part = connection.recv(65_536)
        assert part, f"closed after {read!r}"
        read += part
    return read


def test_an_unchanged_poll_keeps_its_connection_unless_the_client_ends_it(
    local: Callable[..., Local],
) -> None:
    server = local(unchanged)
    connection = server.connect()
    for _ in range(3):
        head = head_of(connection, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 304 ")
        assert b"connection" not in head.lower()
    for last in (
        b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
    ):
        connection = server.connect()
        assert b"connection: close" in head_of(connection, last).lower()
        assert connection.recv(1) == b""


@pytest.mark.parametrize("part", [HALF_HEAD, HALF_BODY], ids=["head", "body"])
def test_a_request_that_drips_is_ended(
    local: Callable[..., Local], monkeypatch: pytest.MonkeyPatch, part: bytes
) -> None:
    """However steadily.

    Every byte in time would keep a mere timeout of silence from ever ending it.
    """
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.5)
    connection = local(hello).connect()
    connection.sendall(part)

    def ended() -> bool:
        try:
            connection.sendall(b"x")
        except OSError:
            return True
        return is_closed(connection)

    until(ended, "the connection is closed")


def test_a_silent_connection_and_a_response_that_nobody_reads_are_ended(
    local: Callable[..., Local], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unread response holds no thread, whether it is in memory or on disk."""
    monkeypatch.setattr(limits, "IDLE_SECONDS", 0.5)
    is_done = threading.Event()

    def large(_environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        try:
            for _ in range(300):
                yield b"x" * 100_000
        finally:
            is_done.set()

    server = local(large)
    silent, deaf = server.connect(), server.connect()
    deaf.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    until(lambda: is_closed(silent), "the silent connection is closed")
    wait_for(is_done, "the thread of the unread response is free again")
    until(lambda: not server.server.server_state.connections, "and its connection is closed")


def test_too_large_a_head_or_body_is_refused_at_once(local: Callable[..., Local]) -> None:
    server = local(hello)
    for sent, status in [
        (
            b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: " + b"x" * HEAD_BYTES + b"\r\n\r\n",
            b"431",
        ),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n", b"413"),
    ]:
        connection = server.connect()
        connection.sendall(sent)
        assert connection.recv(4096).split()[1] == status


def test_a_stop_takes_nothing_new_and_ends_what_it_has_begun(local: Callable[..., Local]) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(_environ: Any, start_response: Any) -> Iterable[bytes]:
        begun.set()
        assert go_on.wait(CLIENT_SECONDS)
        start_response("200 OK", [("Content-Length", "3000000")])
        return [b"x" * 3_000_000]

    server = local(slow)
    half, whole = server.connect(), server.connect()
    half.sendall(HALF_HEAD)
    whole.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert begun.wait(CLIENT_SECONDS)
    server.begin_stop()
    until(lambda: is_closed(half), "what was not whole is given up")
    with pytest.raises(OSError, match="refused"):
        server.connect()
    go_on.set()
    answer = http.client.HTTPResponse(whole)
    answer.begin()
    assert len(answer.read()) == 3_000_000
    server.stop()


def test_a_connection_outlives_the_pause_between_two_polls_of_a_page() -> None:
    templates = [path.read_text() for path in TEMPLATES.rglob("*.html")]
    pauses = [float(each) for text in templates for each in re.findall(r"every (\d+)s", text)]
    assert max(pauses) == 60  # the bell's
    assert max(pauses) < limits.IDLE_SECONDS
