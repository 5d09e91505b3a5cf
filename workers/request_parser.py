"""Reads requests as RFC 9112 asks: what cannot be parsed, or could be read in two ways, is answered
400.
"""

from __future__ import annotations

import re
from typing import cast

from waitress.parser import HTTPRequestParser, ParsingError, get_header_lines

# RFC 3986, 3.2.2 and 3.2.3: uri-host [ ":" port ]; empty where the target names no authority.
_HOST = re.compile(rb"(\[[0-9A-Fa-fv:.]+\]|[A-Za-z0-9\-._~%!$&'()*+,;=]*)(:[0-9]*)?")


class RequestParser(HTTPRequestParser):
    """Parses one request.

    `error` says what was wrong; then `path`, `command` and headers may be empty.
    """

    path = ""
    command = ""

    def received(self, data: bytes) -> int:
        consumed = cast("int", super().received(data))
        if self.error is not None:
            # nobody is asked to send the body of a request that is refused
            self.expect_continue = False
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        """Raises ParsingError, which is answered 400, or TransferEncodingNotImplemented, answered
        501.
        """
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # of an address or a number that Python does not read
            raise ParsingError("Request line or header is invalid") from error
        _, _, head = header_plus.partition(b"\r\n")
        fields = [line.partition(b":") for line in get_header_lines(head)]
        self._check_host(
            [value.strip(b" \t") for name, _, value in fields if name.lower() == b"host"]
        )
        self._check_framing(
            {name.lower() for name, _, _ in fields},
            b",".join(value for name, _, value in fields if name.lower() == b"transfer-encoding"),
        )

    def _check_host(self, hosts: list[bytes]) -> None:
        """RFC 9112, 3.2: exactly one in HTTP/1.1, and never two or one that is no host."""
        is_needed = self.version not in ("", "0.9", "1.0")
        if len(hosts) > 1 or (is_needed and not hosts):
            raise ParsingError("Send exactly one Host header")
        if hosts and not _is_host(hosts[0]):
            raise ParsingError("Host header is invalid")

    def _check_framing(self, names: set[bytes], encodings: bytes) -> None:
        """RFC 9112, 6.1: where the body ends must be said once, and in a way that this version of
        HTTP knows; a body is never chunked twice.
        """
        if b"transfer-encoding" not in names:
            return
        if b"content-length" in names:
            raise ParsingError("Send Content-Length or Transfer-Encoding, not both")
        if self.version != "1.1":
            raise ParsingError("Transfer-Encoding needs HTTP/1.1")
        if encodings.lower().count(b"chunked") > 1:
            raise ParsingError("Send a body that is chunked once")


def _is_host(value: bytes) -> bool:
    """Whether it is a host, and a name among them one that Flask can make addresses of: labels of 1
    to 63 characters (RFC 1035, 2.3.4), and those that begin with `xn--` as RFC 3492 encodes them.
    """
    match = _HOST.fullmatch(value)
    if match is None:
        return False
    try:
        match[1].decode("ascii").encode("idna").decode("idna")
    except UnicodeError:
        return False
    return True
