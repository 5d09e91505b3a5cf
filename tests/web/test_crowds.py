"""More requests than a web process can work on at once.

Who waits, who does not, and what is put off.
"""

from __future__ import annotations

import http.client
import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from flask import Flask

from app.core.serving import RECEIVED_AT, slot_released
from tests.waiting import until
from tests.web.local_server import CLIENT_SECONDS, Local, hello, local, milliseconds
from workers.web.gateway import SCORER_SLOTS
from workers.web.request_pool import CROWD

__all__ = ["local"]

POLL = b'GET /fans HTTP/1.1\r\nHost: localhost\r\nHX-Request: true\r\nIf-None-Match: "f7"\r\n\r\n'


def test_a_request_that_waits_for_a_slot_was_received_before(local: Callable[..., Local]) -> None:
    go_on, under_way, moments = threading.Event(), threading.Semaphore(0), []

    def moment(environ: Any, start_response: Any) -> Iterable[bytes]:
        under_way.release()
        assert go_on.wait(CLIENT_SECONDS)
        moments.append(environ[RECEIVED_AT])
        return hello(environ, start_response)

    server = local(moment)
    fans = [server.connect() for _ in range(6)]
    for fan in fans:
        fan.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert all(under_way.acquire(timeout=CLIENT_SECONDS) for _ in range(2)), "no slot is free"
    until(lambda: server.gateway.fans.waiting == 4, "the others are in line")
    released_at = time.time()
    go_on.set()
    for fan in fans:
        assert fan.recv(4096).startswith(b"HTTP/1.1 200 ")
    assert len(moments) == 6
    assert max(moments) < released_at


@pytest.mark.parametrize("path", ["/console", "/console/games/g1"])
def test_a_scorer_is_answered_while_every_thread_is_a_fans(
    local: Callable[..., Local], path: str
) -> None:
    go_on, under_way = threading.Event(), threading.Semaphore(0)

    def crowded(environ: Any, start_response: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/fans":
            under_way.release()
            assert go_on.wait(CLIENT_SECONDS)
        return hello(environ, start_response)

    server = local(crowded)
    fans = [server.connect() for _ in range(100)]  # more than there are threads
    for fan in fans:
        fan.sendall(b"GET /fans HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert all(under_way.acquire(timeout=CLIENT_SECONDS) for _ in range(2)), "both turns are taken"
    scorer = server.connect()
    scorer.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    assert scorer.recv(4096).startswith(b"HTTP/1.1 200 ")
    go_on.set()
    for fan in fans:
        assert fan.recv(4096).startswith(b"HTTP/1.1 200 ")


def test_requests_that_wait_for_others_keep_no_turn_from_the_rest(
    local: Callable[..., Local],
) -> None:
    """Of two turns: ten wait with theirs lent, and the rest are answered, two at a time."""
    waiting, go_on, at_once, most = threading.Semaphore(0), threading.Event(), [0], [0]
    counting = threading.Lock()
    flask = Flask("waiting")

    @flask.get("/")
    def quick() -> str:
        with counting:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        os.sched_yield()  # lets the others in, if they may
        with counting:
            at_once[0] -= 1
        return "hello"

    @flask.get("/wait")
    def wait() -> str:
        with slot_released():
            waiting.release()
            assert go_on.wait(CLIENT_SECONDS)
        return quick()

    server = local(flask)
    connections = [server.connect() for _ in range(10)]
    for connection in connections:
        connection.sendall(b"GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for _ in connections:
        assert waiting.acquire(timeout=CLIENT_SECONDS)
    milliseconds(server.port, "/", 5)
    go_on.set()
    for connection in connections:
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert answer.read() == b"hello"
    assert most[0] <= 2


def test_polls_are_put_off_while_many_wait_and_answered_when_few_do(
    local: Callable[..., Local],
) -> None:
    go_on, under_way = threading.Event(), threading.Semaphore(0)

    def crowded(environ: Any, start_response: Any) -> Iterable[bytes]:
        under_way.release()
        assert go_on.wait(CLIENT_SECONDS)
        return hello(environ, start_response)

    server = local(crowded)
    early = server.connect()
    early.sendall(POLL)
    assert under_way.acquire(timeout=CLIENT_SECONDS), "one turn is taken, before the others come"
    # of two turns the other is taken, and the others stand in line
    fans = [server.connect() for _ in range(1 + 2 * CROWD)]
    for fan in fans:
        fan.sendall(b"GET /fans HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert under_way.acquire(timeout=CLIENT_SECONDS), "both turns are taken"
    until(lambda: server.gateway.fans.is_crowded, "the others stand in line")
    late = server.connect()
    for _ in range(3):  # on the same connection
        late.sendall(POLL)
        head = late.recv(4096)
        assert head.startswith(b"HTTP/1.1 304 ")
        assert b'etag: "f7"' in head.lower()
        assert b"connection" not in head.lower()
    go_on.set()
    for connection in (early, *fans):
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
    late.sendall(POLL)
    assert late.recv(4096).startswith(b"HTTP/1.1 200 ")


def test_a_scorers_poll_is_never_put_off_since_it_keeps_their_hold(
    local: Callable[..., Local],
) -> None:
    go_on = threading.Event()

    def crowded(environ: Any, start_response: Any) -> Iterable[bytes]:
        assert go_on.wait(CLIENT_SECONDS)
        return hello(environ, start_response)

    server = local(crowded)
    scorers = [server.connect() for _ in range(3 * SCORER_SLOTS)]
    for scorer in scorers:
        scorer.sendall(POLL.replace(b"/fans", b"/console/g1/log"))
    until(lambda: server.gateway.scorers.waiting == 2 * SCORER_SLOTS, "all are there")
    go_on.set()
    for scorer in scorers:
        assert scorer.recv(4096).startswith(b"HTTP/1.1 200 ")
