"""Reads requests as RFC 9112 asks: what cannot be parsed, or could be read in two ways, is answered 400."""

from __future__ import annotations

import re
from typing import cast

from waitress.parser import HTTPRequestParser, ParsingError, get_header_lines

# RFC 3986, 3.2.2 and 3.2.3: uri-host [ ":" port ]; empty where the target names no authority.
_HOST = re.compile(rb"(\[[0-9A-Fa-fv:.]+\]|[A-Za-z0-9\-._~%!$&'()*+,;=]*)(:[0-9]*)?")


class RequestParser(HTTPRequestParser):
    """Parses one request. `error` says what was wrong; then `path`, `command` and headers may be empty."""

    path = ""
    command = ""

    def received(self, data: bytes) -> int:
        consumed = cast("int", super().received(data))
        if self.error is not None:
            self.expect_continue = False  # nobody is asked to send the body of a request that is refused
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        """Raises ParsingError, which is answered 400, or TransferEncodingNotImplemented, answered 501."""
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # of an address or a number that Python does not read
            raise ParsingError("Request line or header is invalid") from error
        _, _, head = header_plus.partition(b"\r\n")
        fields = [line.partition(b":") for line in get_header_lines(head)]
        self._check_host([value.strip(b" \t") for name, _, value in fields if name.lower() == b"host"])
        self._check_framing({name.lower() for name, _, _ in fields})

    def _check_host(self, hosts: list[bytes]) -> None:
        """RFC 9112, 3.2: exactly one in HTTP/1.1, and never two or one that is no host."""
        is_needed = self.version not in ("", "0.9", "1.0")
        if len(hosts) > 1 or (is_needed and not hosts):
            raise ParsingError("Send exactly one Host header")
        if hosts and _HOST.fullmatch(hosts[0]) is None:
            raise ParsingError("Host header is invalid")

    def _check_framing(self, names: set[bytes]) -> None:
        """RFC 9112, 6.1: where the body ends must be said once, and in a way that this version of HTTP knows."""
        if b"transfer-encoding" not in names:
            return
        if b"content-length" in names:
            raise ParsingError("Send Content-Length or Transfer-Encoding, not both")
        if self.version != "1.1":
            raise ParsingError("Transfer-Encoding needs HTTP/1.1")
