"""Sends one delivery over HTTP, to public addresses only, checked where the connection is made.

The host's name is looked up once and the connection goes to the address that was checked, so a name that changes its
mind meanwhile gains nothing. No redirect is followed, no proxy used, no body of an answer is read, and
all of it ends after SECONDS.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.scores.webhook_rules import is_public

SECONDS = 10.0


@dataclass(frozen=True)
class Sent:
    """`status` None: no answer. `fault`: a sentence; None: delivered (2xx)."""

    status: int | None
    fault: str | None


class _Refused(OSError):
    """The host leads to an address that deliveries must not reach."""


class _Connection(http.client.HTTPConnection):
    def __init__(self, host: str, port: int, *, secure: bool, private: bool, seconds: float) -> None:
        super().__init__(host, port, timeout=seconds)
        self._secure = secure
        self._private = private

    def connect(self) -> None:
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        addresses = [place[4] for place in found]
        if not self._private and not all(is_public(str(address[0])) for address in addresses):
            raise _Refused
        self.sock = socket.create_connection((str(addresses[0][0]), self.port), self.timeout)
        if self._secure:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)


def send(url: str, body: bytes, headers: dict[str, str], *, private: bool, seconds: float = SECONDS) -> Sent:
    """Posts the body. Never raises for what the other side does."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = _Connection(
        parts.hostname or "", parts.port or (443 if secure else 80), secure=secure, private=private, seconds=seconds
    )
    late = threading.Event()

    def end() -> None:  # one that sends a byte now and then would never run into the socket's own timeout
        late.set()
        if (held := connection.sock) is not None:
            with suppress(OSError):  # not connected yet, or over already
                held.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        connection.request("POST", target, body, headers)
        answer = connection.getresponse()
    except _Refused:
        return Sent(None, "The host leads to an address that is not public: use another.")
    except (OSError, http.client.HTTPException) as error:
        if late.is_set() or isinstance(error, TimeoutError):
            return Sent(None, f"No whole answer within {seconds:g} s.")
        return Sent(None, f"No answer ({type(error).__name__}).")
    finally:
        timer.cancel()
        connection.close()
    if late.is_set():
        return Sent(answer.status, f"No whole answer within {seconds:g} s.")
    if 200 <= answer.status < 300:
        return Sent(answer.status, None)
    what = "a redirect, which is not followed" if 300 <= answer.status < 400 else "no success"
    return Sent(answer.status, f"Answered {answer.status}: {what}.")
