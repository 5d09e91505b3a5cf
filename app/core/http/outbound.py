"""HTTP client for other people's servers: public addresses only, checked on connecting.

The host's name is resolved once, and the connection goes to the address that was checked. This
prevents DNS rebinding. The certificate is checked against the name. Redirects and proxies are not
followed. The caller limits the size of the body, httpcore limits headers to 100 kB, and every
request ends at a deadline. Used for webhooks, push messages, data providers and feeds.
"""

from __future__ import annotations

import ipaddress
import smtplib
import socket
import ssl
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from functools import cache
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import httpcore

LONGEST_URL = 2_000
# Networks that are not public, although some versions of Python's ipaddress say so: site-local
# (RFC 3879; home routers may still use it), local NAT64, documentation, segment routing.
NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        ("fec0::/10", "64:ff9b:1::/48", "2001:db8::/32", "3fff::/20", "5f00::/16"),
    )
)
# NAT64 (RFC 6052) and IPv4-compatible addresses
CARRIES_IPV4 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))
# Names that exist only inside a network: RFC 6761, 6762, 8375, and `internal`, which ICANN has
# reserved for this.
INSIDE = ("localhost", "localdomain", "local", "internal", "home.arpa", "test", "invalid", "onion")
LOOKUP_SECONDS = 3.0
# An error has the sentence of the first kind that it is.
_FAILURES: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((socket.gaierror,), "The host name was not found."),
    ((ssl.SSLCertVerificationError,), "The server's certificate is not valid."),
    ((ssl.SSLError,), "No secure connection was possible."),
    ((ConnectionRefusedError,), "The server refused the connection."),
    ((TimeoutError,), "The server did not respond in time."),
    (
        (ConnectionError, EOFError, httpcore.RemoteProtocolError, smtplib.SMTPServerDisconnected),
        "The server closed the connection.",
    ),
)
HTTP_OK = 200


def url_fault(url: str, *, private: bool) -> str | None:
    """Return a sentence that says what is wrong with an address, or None.

    Args:
        url: The address.
        private: Whether http and private addresses are allowed (a setting).
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "Send a web address like https://example.com/hook."
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        return f"Send an address of at most {LONGEST_URL:,} plain characters."
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        return "Use an address that starts with https://."
    if not parts.hostname or port == 0:
        return "Include a host, as in https://example.com/hook."
    if parts.username is not None or parts.password is not None or parts.fragment:
        return "Remove the user, password and fragment. They are not sent."
    return None if private or not _is_private_literal(parts.hostname) else "Use a public address."


def _is_private_literal(host: str) -> bool:
    """Whether the host is an IP address, not a name, that is not public."""
    try:
        literal = ipaddress.ip_address(host)
    except ValueError:
        return False
    return not is_public(str(literal))


def host_fault(url: str, *, private: bool) -> str | None:
    """Return what is wrong with the host of an address when it is entered, or None.

    Names are resolved, so that `127.1` and the names of internal servers are found too. A name that
    cannot be resolved passes: it may be created later, and the address is checked again when
    connecting.
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    if private or not host:
        return None
    if ("." not in host and ":" not in host) or any(
        host == name or host.endswith(f".{name}") for name in INSIDE
    ):
        return (
            f"{host} is an internal name. Use a server that is reachable from the public internet."
        )
    try:
        addresses = _addresses(host, 443, LOOKUP_SECONDS)
    except (OSError, UnicodeError, httpcore.TimeoutException):
        return None
    if all(map(is_public, addresses)):
        return None
    return (
        f"{host} points to a private address. Use a server that is reachable from the "
        "public internet."
    )


def is_public(address: str) -> bool:
    """Whether an IP address is on the public internet.

    Not private, loopback, link-local, shared, multicast or reserved, nor an IPv6 form that carries
    such an IPv4 address.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and (ip.ipv4_mapped or ip.sixtofour or ip.teredo):
        return False
    if any(ip in network for network in (*CARRIES_IPV4, *NOT_PUBLIC)):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


@dataclass(frozen=True)
class Answer:
    """A response, or why there is none.

    Attributes:
        status: None if there was no whole response.
        fault: A sentence that says why there was no whole response, else None.
        headers: By name in lower case.
        body: Empty if the caller did not ask for it.
        was_sent: Without a response, whether the other side may have received the request.
    """

    status: int | None
    fault: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    was_sent: bool = True


class _PrivateAddressError(OSError):
    """The host leads to an address that must not be reached."""


class _BodyTooLargeError(Exception):
    """The body is larger than the caller allows."""


class _Deadline:
    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds
        # Whether any part of the request was sent. The TLS handshake bypasses _Stream.write.
        self.has_written = False

    def left(self, at_most: float | None = None) -> float:
        """Seconds until the deadline, above 0 and `at_most`. Raises ReadTimeout after it."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left if at_most is None else min(left, at_most)


class _Stream(httpcore.NetworkStream):
    """A stream that stops waiting at the deadline, however slowly the bytes arrive."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: _Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._deadline.has_written = True
        self._stream.write(buffer, self._deadline.left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(
            self._stream.start_tls(ssl_context, server_hostname, self._deadline.left(timeout)),
            self._deadline,
        )

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


_lookups = ThreadPoolExecutor(4, thread_name_prefix="name-lookup")


def _addresses(host: str, port: int, seconds: float) -> list[str]:
    """Resolve the host's name, in a thread because the system's lookup has no timeout.

    Raises:
        OSError: The name cannot be resolved.
        httpcore.ConnectTimeout: The lookup takes too long.
    """
    looking = _lookups.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        return [str(place[4][0]) for place in looking.result(seconds)]
    except FutureTimeout:
        looking.cancel()
        raise httpcore.ConnectTimeout from None


class _CheckedAddresses(httpcore.NetworkBackend):
    """Connects to the address of a host's name if all its addresses may be reached."""

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
        addresses = _addresses(host.strip("[]"), port, self._deadline.left(timeout))
        if not self._private and not all(map(is_public, addresses)):
            raise _PrivateAddressError
        stream = httpcore.SyncBackend().connect_tcp(
            addresses[0], port, self._deadline.left(timeout), local_address, socket_options
        )
        return _Stream(stream, self._deadline)


@cache
def _tls() -> ssl.SSLContext:
    """One context for all requests, because reading the system's certificates is slow."""
    return ssl.create_default_context()


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, private: bool, seconds: float
) -> Answer:
    """Post the body and read the head of the response. Never raises if the other side fails."""
    return _send(_Request("POST", url, headers, body), private=private, seconds=seconds)


def get(
    url: str, headers: Mapping[str, str], *, private: bool, seconds: float, most_bytes: int
) -> Answer:
    """Get a whole response of at most `most_bytes`, whatever its status.

    Never raises if the other side fails.
    """
    headers = {"Accept-Encoding": "identity", **headers}
    request = _Request("GET", url, headers, most_bytes=most_bytes)
    return _send(request, private=private, seconds=seconds)


@dataclass(frozen=True)
class Limits:
    """How long a whole response may take, and how many bytes its body may have."""

    seconds: float
    most_bytes: int


def download(
    url: str, headers: Mapping[str, str], target: BinaryIO, limits: Limits, *, private: bool
) -> Answer:
    """Get a response and, if its status is 200, write its body to `target` as it arrives.

    Never raises if the other side fails; then part of the body may have been written.
    """
    headers = {"Accept-Encoding": "identity", **headers}
    request = _Request("GET", url, headers, most_bytes=limits.most_bytes, target=target)
    return _send(request, private=private, seconds=limits.seconds)


@dataclass(frozen=True)
class _Request:
    """A request. At most `most_bytes` of the response's body are read; 0 reads none.

    `target`: gets the body of a response with status 200.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None
    most_bytes: int = 0
    target: BinaryIO | None = None


def _send(request: _Request, *, private: bool, seconds: float) -> Answer:
    most_bytes = request.most_bytes
    headers = list(request.headers.items())
    deadline = _Deadline(seconds)
    checked = _CheckedAddresses(deadline, private=private)
    try:
        with (
            httpcore.ConnectionPool(ssl_context=_tls(), network_backend=checked) as pool,
            pool.stream(
                request.method, request.url, headers=headers, content=request.body
            ) as response,
        ):
            response_headers = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in response.headers
            }
            read = _body(request, response, response_headers)
            return Answer(response.status, None, response_headers, read)
    except _PrivateAddressError:
        return Answer(
            None, "The host points to a private address. Use another one.", was_sent=False
        )
    except _BodyTooLargeError:
        return Answer(None, f"The response is larger than {most_bytes:,} bytes.")
    except httpcore.TimeoutException:
        return Answer(
            None, f"No complete response within {seconds:g} s.", was_sent=deadline.has_written
        )
    except (OSError, httpcore.NetworkError, httpcore.ProtocolError) as error:
        # httpcore raises its own errors. The socket's error, which says more, is their context.
        why = failure_in_words(error.__context__ or error)
        return Answer(None, why, was_sent=deadline.has_written)


def failure_in_words(error: BaseException) -> str:
    """Why a server gave no response, as a sentence for users.

    >>> failure_in_words(ConnectionRefusedError()), failure_in_words(socket.gaierror())
    ('The server refused the connection.', 'The host name was not found.')
    """
    for kinds, sentence in _FAILURES:
        if isinstance(error, kinds):
            return sentence
    return "The connection failed."


def _body(request: _Request, response: httpcore.Response, headers: Mapping[str, str]) -> bytes:
    """The response's body as far as the request wants it; empty if it went to a target."""
    if not request.most_bytes or (request.target and response.status != HTTP_OK):
        return b""
    if int(headers.get("content-length", "0") or 0) > request.most_bytes:
        raise _BodyTooLargeError
    if request.target is None:
        return _bounded(response.iter_stream(), request.most_bytes)
    written = 0
    for chunk in response.iter_stream():
        written += len(chunk)
        if written > request.most_bytes:
            raise _BodyTooLargeError
        request.target.write(chunk)
    return b""


def _bounded(chunks: Iterable[bytes], most_bytes: int) -> bytes:
    read = bytearray()
    for chunk in chunks:
        read += chunk
        if len(read) > most_bytes:
            raise _BodyTooLargeError
    return bytes(read)
