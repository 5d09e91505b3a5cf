"""Requests that cannot be parsed, or that two servers could read differently: 400, never silence.

The right answers are those of RFC 9112: 2.2 and 5.1 (bare CR, space before the colon), 3 (request
line), 3.2 (Host), 6.1 to 6.3 (framing of the body, which is chunked once). A Host that is no name
of RFC 1035 ended in a traceback.
"""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest
from flask import Flask
from structlog.testing import capture_logs

from app.api.operations import OPERATIONS
from app.core.input_limits import (
    IMPORT_OPERATION,
    IMPORT_PAGE,
    LEAGUE_FILES_BYTES,
    REQUEST_BYTES,
    most_request_bytes,
)
from tests.waiting import until
from tests.web.local_server import Local, hello, local
from workers.web.gateway import MOST_LARGE

__all__ = ["local"]

HOST = b"Host: localhost\r\n"
# a whole body of no chunks, so that nothing but the framing can be refused
NO_CHUNKS = b"\r\n0\r\n"
REFUSED = {
    "lower-case method": b"get / HTTP/1.1\r\n" + HOST,
    "no request line": b"\x16\x03\x01\r\n" + HOST,
    "space before the colon": b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding : chunked\r\n",
    "bare CR in a header": b"GET / HTTP/1.1\r\n" + HOST + b"X: a\rb\r\n",
    "bare CR in the request line": b"GET /\r HTTP/1.1\r\n" + HOST,
    "NUL in a header": b"GET / HTTP/1.1\r\n" + HOST + b"X: a\x00b\r\n",
    "an address that is none": b"GET http://[::1 HTTP/1.1\r\n" + HOST,
    "a length that is no number": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: +5\r\n",
    "a length of 5,000 digits": b"POST / HTTP/1.1\r\n"
    + HOST
    + b"Content-Length: "
    + b"9" * 5000
    + b"\r\n",
    "two lengths": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\nContent-Length: 5\r\n",
    "no Host": b"GET / HTTP/1.1\r\n",
    "no Host in a later version": b"GET / HTTP/1.2\r\n",
    "two Hosts": b"GET / HTTP/1.1\r\n" + HOST + b"host: elsewhere\r\n",
    "two Hosts in HTTP/1.0": b"GET / HTTP/1.0\r\n" + HOST + HOST,
    "a Host with a path": b"GET / HTTP/1.1\r\nHost: localhost/admin\r\n",
    "a Host of two": b"GET / HTTP/1.1\r\nHost: localhost, elsewhere\r\n",
    "a Host with a user": b"GET / HTTP/1.1\r\nHost: me@localhost\r\n",
    "a Host with an empty label": b"GET / HTTP/1.1\r\nHost: a..b\r\n",
    "a Host with a label of 64 characters": b"GET / HTTP/1.1\r\nHost: "
    + b"a" * 64
    + b".example\r\n",
    "a Host that is no IDNA": b"GET / HTTP/1.1\r\nHost: xn--a.example\r\n",
    "chunked twice": b"POST / HTTP/1.1\r\n"
    + HOST
    + b"Transfer-Encoding: chunked, chunked\r\n"
    + NO_CHUNKS,
    "chunked in two headers": b"POST / HTTP/1.1\r\n"
    + HOST
    + b"Transfer-Encoding: chunked\r\n" * 2
    + NO_CHUNKS,
    "length and encoding": b"POST / HTTP/1.1\r\n"
    + HOST
    + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"
    + NO_CHUNKS,
    "encoding and length": b"POST / HTTP/1.1\r\n"
    + HOST
    + b"transfer-encoding: chunked\r\ncontent-length: 0\r\n"
    + NO_CHUNKS,
    "encoding in HTTP/1.0": b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
    "encoding in a later version": b"POST / HTTP/1.2\r\n"
    + HOST
    + b"Transfer-Encoding: chunked\r\n",
}


def answer(connection: socket.socket, sent: bytes) -> bytes:
    """All that the server says until it closes the connection."""
    connection.sendall(sent)
    parts = []
    while part := connection.recv(65_536):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("head", REFUSED.values(), ids=REFUSED.keys())
def test_it_is_refused_and_the_connection_ends(local: Callable[..., Local], head: bytes) -> None:
    """What follows on the connection could be part of the refused body: it must not be answered."""
    server = local(hello)
    response = answer(
        server.connect(), head + b"\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
    )
    assert response.split(b" ", 2)[1] == b"400"
    assert b"connection: close" in response.lower()
    assert not response.endswith(b"hello")


TAKEN = {
    "HTTP/1.1": b"GET / HTTP/1.1\r\nHost: localhost:8000\r\nConnection: close\r\n\r\n",
    "an empty Host": b"GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
    "IPv6": b"GET / HTTP/1.1\r\nHost: [::1]:8000\r\nConnection: close\r\n\r\n",
    "a Host in IDNA": (
        b"GET / HTTP/1.1\r\nHost: xn--mnchen-3ya.example.:80\r\nConnection: close\r\n\r\n"
    ),
    "HTTP/1.0 without Host": b"GET / HTTP/1.0\r\n\r\n",
    "chunks": (
        b"POST / HTTP/1.1\r\nHost: a_b.c\r\nTransfer-Encoding: chunked\r\nConnection: "
        b"close\r\n\r\n0\r\n\r\n"
    ),
}


@pytest.mark.parametrize("sent", TAKEN.values(), ids=TAKEN.keys())
def test_what_the_rules_allow_is_answered(local: Callable[..., Local], sent: bytes) -> None:
    assert answer(local(hello).connect(), sent).split(b" ", 2)[1] == b"200"


def test_nobody_is_asked_for_a_body_that_is_too_large(local: Callable[..., Local]) -> None:
    """RFC 9110, 10.1.1.

    A final status instead of 100 (Continue) where the header decides already.
    """
    head = (
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 999999999\r\nExpect: 100-continue\r\n\r\n"
    )
    assert answer(local(hello).connect(), head).split(b" ", 2)[1] == b"413"


PAGE, LEAGUE = b"/leagues/draft", IMPORT_PAGE.encode()


@pytest.mark.parametrize(
    ("path", "size", "status", "remedy"),
    [
        (PAGE, REQUEST_BYTES + 1, b"413", b"Send at most 4 MiB at once."),
        (b"/api/v1/leagues", REQUEST_BYTES + 1, b"413", b"Send at most 4 MiB at once."),
        (LEAGUE, LEAGUE_FILES_BYTES + 1, b"413", b"Send at most 24 MiB at once."),
        (IMPORT_OPERATION.encode(), LEAGUE_FILES_BYTES + 1, b"413", b"Send at most 24 MiB"),
    ],
)
def test_what_is_too_large_gets_a_page_or_a_problem_with_the_remedy(
    app: Flask, local: Callable[..., Local], path: bytes, size: int, status: bytes, remedy: bytes
) -> None:
    """Docs: "Every error is a problem document" (RFC 9457); pages have the site's menu."""
    head = b"POST %b HTTP/1.1\r\n%bContent-Length: %d\r\nContent-Type: text/plain\r\n\r\n"
    response = answer(local(app.wsgi_app).connect(), head % (path, HOST, size))
    assert response.split(b" ", 2)[1] == status
    assert remedy in response
    assert b"connection: close" in response.lower()
    kind = b"application/problem+json" if path.startswith(b"/api/") else b"text/html"
    assert b"content-type: " + kind in response.lower()


def test_only_some_large_files_are_taken_at_once(app: Flask, local: Callable[..., Local]) -> None:
    """They are held in memory; everything else is answered beside them."""
    server = local(app.wsgi_app)
    size = REQUEST_BYTES + 1
    head = b"POST %b HTTP/1.1\r\n%bContent-Length: %d\r\n\r\n" % (LEAGUE, HOST, size)
    for _ in range(MOST_LARGE):
        server.connect().sendall(head)
    until(server.gateway.large_requests.locked, "all places are taken")
    refused = answer(server.connect(), head)
    assert refused.split(b" ", 2)[1] == b"503"
    assert b"Other large uploads are in progress" in refused
    assert b"retry-after: 60" in refused.lower()
    small = b"POST %b HTTP/1.1\r\n%bContent-Length: 1\r\nConnection: close\r\n\r\nx"
    assert answer(server.connect(), small % (LEAGUE, HOST)).split(b" ", 2)[1] != b"503"


def test_the_server_takes_what_each_view_and_operation_takes(app: Flask) -> None:
    for rule in app.url_map.iter_rules():
        most = getattr(app.view_functions[rule.endpoint], "most_bytes", 0)
        assert most <= most_request_bytes(rule.rule), rule.rule
    for operation in OPERATIONS:
        assert operation.limits.body <= most_request_bytes(operation.path), operation.path


def test_the_log_says_it_without_the_clients_words(local: Callable[..., Local]) -> None:
    """One warning that app/core/logs/deduplication.py counts.

    A line for each, or a text that differs each time, would
    fill the log.
    """
    server = local(hello)
    with capture_logs() as lines:
        for number in range(3):
            answer(server.connect(), b"GET / HTTP/1.1\r\nX: secret%d\rb\r\n\r\n" % number)
    assert lines == [{"event": "request_refused", "status": 400, "log_level": "warning"}] * 3
