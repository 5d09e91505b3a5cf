"""Limits of one connection: the size of a head, and a timeout for every wait for the client.

uvicorn itself only ends idle connections between two requests.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus

import structlog
from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.core.input_limits import HEAD_BYTES

log = structlog.get_logger(__name__)

REQUEST_SECONDS = 30.0  # for the head of a request, and for its body
LARGE_REQUEST_SECONDS = 180.0  # for a league's files, which a phone may send slowly
# Without a request, or while the client reads none of the response. Longer than pages wait between
# two polls: otherwise a poll could meet the end of its connection.
IDLE_SECONDS = 75.0


class LimitedProtocol(HttpToolsProtocol):
    """uvicorn's connection with the limits of this module."""

    _deadline: asyncio.TimerHandle | None = None
    _reading_deadline: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _is_in_head = False

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # Each chunk of a response waits until the client has read the previous one.
        transport.set_write_buffer_limits(high=0)
        self._expect_request(IDLE_SECONDS)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_expecting()
        self.resume_writing()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self.send_400_response("")
                return
        super().data_received(data)

    @override
    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_in_head, self._head_bytes = True, 0
        self._expect_request(REQUEST_SECONDS)

    @override
    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    @override
    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        super().on_header(name, value)

    @override
    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._stop_expecting()  # from here on the gateway waits for the body
        super().on_headers_complete()

    @override
    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading_deadline = self.loop.call_later(IDLE_SECONDS, self.transport.abort)

    @override
    def resume_writing(self) -> None:
        if self._reading_deadline is not None:
            self._reading_deadline.cancel()
            self._reading_deadline = None
        super().resume_writing()

    @override
    def send_400_response(self, msg: str) -> None:
        """Refuse a request that cannot be parsed (RFC 9112, 2.2), or whose head is too large."""
        is_too_large = self._head_bytes > HEAD_BYTES
        status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE if is_too_large else 400
        log_refusal(status)
        self._stop_expecting()
        self.transport.write(refusal(status))
        self.transport.close()

    def _count(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > HEAD_BYTES:
            raise ValueError("the head is too large")  # the parser reports an invalid request

    def _expect_request(self, seconds: float) -> None:
        self._stop_expecting()
        self._deadline = self.loop.call_later(seconds, self.transport.close)

    def _stop_expecting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def log_refusal(status: int) -> None:
    """Log only the status, so that repeated lines are only counted (core/logs/deduplication.py)."""
    log.warning("request_refused", status=int(status))


def refusal(status: int) -> bytes:
    """Return a whole response that ends the connection."""
    phrase = HTTPStatus(status).phrase
    head = (
        f"HTTP/1.1 {int(status)} {phrase}\r\ncontent-type: text/plain; charset=utf-8\r\n"
        f"content-length: {len(phrase)}\r\nconnection: close\r\n\r\n"
    )
    return f"{head}{phrase}".encode()
