"""HTTP to servers of other people: public addresses only, checked where the connection is made,
within a deadline.

The host's name is looked up once and the connection goes to the address that was checked, so a name
that changes its answer meanwhile gains nothing; the certificate is checked against the name. No
redirect is followed, no proxy used, of a body no more is read than the caller allows, headers are
at most 100 kB (httpcore's bound), and all of it ends after the deadline. Webhooks are sent and
providers are asked through it.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpcore

LONGEST_URL = 2_000
# Not for the public either, whatever the ipaddress of this Python says: site-local (RFC 3879;
# routers at home may still use it), local NAT64, documentation, segment routing.
NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        ("fec0::/10", "64:ff9b:1::/48", "2001:db8::/32", "3fff::/20", "5f00::/16"),
    )
)
# NAT64 (RFC 6052), compatible
CARRIES_IPV4 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))
# Names that lead nowhere outside of a network: RFC 6761, 6762, 8375, and `internal`, which ICANN
# keeps for this.
INSIDE = ("localhost", "localdomain", "local", "internal", "home.arpa", "test", "invalid", "onion")
LOOKUP_SECONDS = 3.0


def url_fault(url: str, *, private: bool) -> str | None:
    """What to change about an address, or None.

    `private`: http and private addresses are allowed (a setting).
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "Send a web address like https://example.com/hook."
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        return f"Send an address of at most {LONGEST_URL:,} plain characters."
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        return "Use an address that begins with https://."
    if not parts.hostname or port == 0:
        return "Name a host, as in https://example.com/hook."
    if parts.username is not None or parts.password is not None or parts.fragment:
        return "Leave out user, password and fragment: they are not sent."
    try:
        literal = ipaddress.ip_address(parts.hostname)
    except ValueError:
        return None
    return None if private or is_public(str(literal)) else "Use a public address."


def host_fault(url: str, *, private: bool) -> str | None:
    """What is wrong with where an address leads now, or None.

    For the moment in which somebody gives it.

    Names are looked up, so that `127.1` and a name of an inner server are found too. A name that
    cannot be looked up now passes: it may be made later, and where the connection is made the
    address is checked in any case.
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    if private or not host:
        return None
    if ("." not in host and ":" not in host) or any(
        host == name or host.endswith(f".{name}") for name in INSIDE
    ):
        return f"{host} is a name inside a network: use a server that the public internet reaches."
    try:
        found = _addresses(host, 443, LOOKUP_SECONDS)
    except (OSError, UnicodeError, httpcore.TimeoutException):
        return None
    if all(map(is_public, found)):
        return None
    return (
        f"{host} leads to an address that is not public: use a server that the public internet "
        "reaches."
    )


def is_public(address: str) -> bool:
    """Whether an IP address may be reached: neither private, loopback, link-local, shared,
    multicast nor reserved, nor an IPv6 form that carries such an IPv4 address.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and (ip.ipv4_mapped or ip.sixtofour or ip.teredo):
        return False
    if any(ip in network for network in (*CARRIES_IPV4, *NOT_PUBLIC)):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


@dataclass(frozen=True)
class Answer:
    """`status` None: there was no whole answer, and `fault` is a sentence that says why.

    Otherwise it is None.

    `headers`: by name in lower case. `body`: empty where it was not to be read. `was_sent`: without
    an answer, whether the other side may have the request all the same.
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
        # anything of the request; what TLS says before it does not pass _Stream.write
        self.has_written = False

    def left(self) -> float:
        """Seconds until it, above 0. Raises ReadTimeout after it."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left


class _Stream(httpcore.NetworkStream):
    """A stream whose every wait ends with the deadline, so that a byte now and then prolongs
    nothing.
    """

    def __init__(self, stream: httpcore.NetworkStream, deadline: _Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._deadline.has_written = True
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(
            self._stream.start_tls(ssl_context, server_hostname, self._deadline.left()),
            self._deadline,
        )

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


_lookups = ThreadPoolExecutor(4, thread_name_prefix="name-lookup")


def _addresses(host: str, port: int, seconds: float) -> list[str]:
    """What the host's name leads to. In a thread, as the system's lookup knows no deadline of ours.

    Raises OSError, ConnectTimeout.
    """
    looking = _lookups.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        return [str(place[4][0]) for place in looking.result(seconds)]
    except FutureTimeout:
        looking.cancel()
        raise httpcore.ConnectTimeout from None


class _CheckedAddresses(httpcore.NetworkBackend):
    """Connects to the address that a host's name leads to, if all that it leads to may be
    reached."""

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
        addresses = _addresses(host.strip("[]"), port, self._deadline.left())
        if not self._private and not all(map(is_public, addresses)):
            raise _PrivateAddressError
        stream = httpcore.SyncBackend().connect_tcp(addresses[0], port, self._deadline.left())
        return _Stream(stream, self._deadline)


@cache
def _tls() -> ssl.SSLContext:
    """One for all requests: reading the system's certificates takes longer than a request on this
    machine.
    """
    return ssl.create_default_context()


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, private: bool, seconds: float
) -> Answer:
    """Posts the body and reads the answer's head. Never raises for what the other side does."""
    return _request("POST", url, headers, body=body, private=private, seconds=seconds, most_bytes=0)


def get(
    url: str, headers: Mapping[str, str], *, private: bool, seconds: float, most_bytes: int
) -> Answer:
    """Gets a whole answer, whatever its status, of at most `most_bytes`.

    Never raises for what the other side does.
    """
    headers = {"Accept-Encoding": "identity", **headers}
    return _request(
        "GET", url, headers, body=None, private=private, seconds=seconds, most_bytes=most_bytes
    )


def _request(
    method: str,
    url: str,
    headers: Mapping[str, str],
    *,
    body: bytes | None,
    private: bool,
    seconds: float,
    most_bytes: int,
) -> Answer:
    deadline = _Deadline(seconds)
    checked = _CheckedAddresses(deadline, private=private)
    try:
        with (
            httpcore.ConnectionPool(ssl_context=_tls(), network_backend=checked) as pool,
            pool.stream(method, url, headers=list(headers.items()), content=body) as answer,
        ):
            read = _bounded(answer.iter_stream(), most_bytes) if most_bytes else b""
            found = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in answer.headers
            }
            return Answer(answer.status, None, found, read)
    except _PrivateAddressError:
        return Answer(
            None, "The host leads to an address that is not public: use another.", was_sent=False
        )
    except _BodyTooLargeError:
        return Answer(None, f"The answer is larger than {most_bytes:,} bytes.")
    except httpcore.TimeoutException:
        return Answer(None, f"No whole answer within {seconds:g} s.", was_sent=deadline.has_written)
    except (OSError, httpcore.NetworkError, httpcore.ProtocolError) as error:
        # httpcore raises its own kind of error; the socket's, which says more, is its context.
        why = type(error.__context__ or error).__name__
        return Answer(None, f"No answer ({why}).", was_sent=deadline.has_written)


def _bounded(chunks: Iterable[bytes], most_bytes: int) -> bytes:
    read = bytearray()
    for chunk in chunks:
        read += chunk
        if len(read) > most_bytes:
            raise _BodyTooLargeError
    return bytes(read)
