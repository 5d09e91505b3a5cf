"""Sends one delivery over HTTP, to public addresses only, checked where the connection is made.

The host's name is looked up once and the connection goes to the address that was checked, so a name that changes its
answer meanwhile gains nothing; the certificate is checked against the name. No redirect is followed, no proxy used, no
body of an answer is read, its headers are at most 100 kB (httpcore's bound), and all of it ends after SECONDS.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpcore

from app.scores.webhook_rules import is_public

SECONDS = 10.0


@dataclass(frozen=True)
class Sent:
    """`status` None: no answer. `fault`: a sentence; None: delivered (2xx)."""

    status: int | None
    fault: str | None


class _NotPublic(OSError):
    """The host leads to an address that deliveries must not reach."""


class _Deadline:
    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until it, above 0. Raises ReadTimeout after it."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left


class _Stream(httpcore.NetworkStream):
    """A stream whose every wait ends with the deadline, so that a byte now and then prolongs nothing."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: _Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, self._deadline.left()), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _CheckedAddresses(httpcore.NetworkBackend):
    """Connects to the address that a host's name leads to, if all that it leads to may be reached."""

    def __init__(self, deadline: _Deadline, *, private: bool) -> None:
        self._deadline = deadline
        self._private = private

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
        addresses = [str(place[4][0]) for place in found]
        if not self._private and not all(map(is_public, addresses)):
            raise _NotPublic
        stream = httpcore.SyncBackend().connect_tcp(addresses[0], port, self._deadline.left())
        return _Stream(stream, self._deadline)


def send(url: str, body: bytes, headers: dict[str, str], *, private: bool, seconds: float = SECONDS) -> Sent:
    """Posts the body. Never raises for what the other side does."""
    checked = _CheckedAddresses(_Deadline(seconds), private=private)
    try:
        with (
            httpcore.ConnectionPool(ssl_context=ssl.create_default_context(), network_backend=checked) as pool,
            pool.stream("POST", url, headers=list(headers.items()), content=body) as answer,
        ):
            status = answer.status
    except _NotPublic:
        return Sent(None, "The host leads to an address that is not public: use another.")
    except httpcore.TimeoutException:
        return Sent(None, f"No whole answer within {seconds:g} s.")
    except (OSError, httpcore.NetworkError, httpcore.ProtocolError) as error:
        # httpcore raises its own kind of error; the socket's, which says more, is its context.
        return Sent(None, f"No answer ({type(error.__context__ or error).__name__}).")
    if 200 <= status < 300:
        return Sent(status, None)
    what = "a redirect, which is not followed" if 300 <= status < 400 else "no success"
    return Sent(status, f"Answered {status}: {what}.")
