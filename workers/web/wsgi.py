"""Calls a WSGI application (PEP 3333) for a request that has been read whole.

The response is read whole too, so that a slow client does not hold a thread. a2wsgi halves the rate
(docs/decisions/0079-uvicorn-and-a-thin-layer.md).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import Any, cast
from urllib.parse import unquote_to_bytes

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Header = tuple[bytes, bytes]

IN_MEMORY_BYTES = 1024 * 1024  # per response in memory; larger responses are stored on disk
CHUNK_BYTES = 64 * 1024
NOT_PREFIXED = {"CONTENT_LENGTH", "CONTENT_TYPE"}


@dataclass
class WsgiResponse:
    """A whole response. `length` is the size of the body in bytes."""

    status: int
    headers: list[Header]
    body: SpooledTemporaryFile[bytes]
    length: int

    def chunks(self) -> Iterator[bytes]:
        """Yield the body in pieces of CHUNK_BYTES."""
        self.body.seek(0)
        while chunk := self.body.read(CHUNK_BYTES):
            yield chunk


def build_environ(scope: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    """Return the WSGI environment of an ASGI HTTP scope."""
    path, query = scope["raw_path"], scope["query_string"]
    server_name, server_port = scope.get("server") or ("localhost", 80)
    client_address, client_port = scope.get("client") or ("", "")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query.decode("latin-1"),
        "REQUEST_URI": (path + b"?" + query if query else path).decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server_name,
        "SERVER_PORT": str(server_port or 0),
        "REMOTE_ADDR": client_address,
        "REMOTE_PORT": str(client_port),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": BytesIO(body),
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        if b"_" in name:  # WSGI cannot tell it from a header with a dash, which a proxy may set
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in NOT_PREFIXED else f"HTTP_{key}"
        text = value.decode("latin-1")
        separator = "; " if key == "HTTP_COOKIE" else ","  # RFC 6265, 5.4; RFC 9110, 5.3
        environ[key] = f"{environ[key]}{separator}{text}" if key in environ else text
    return environ


def call(application: WsgiApp, environ: dict[str, Any]) -> WsgiResponse:
    """Return the application's whole response. Raises what the application raises."""
    started: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], _exc: Any = None) -> Any:
        started[:] = [status, headers]
        return body.write

    body = SpooledTemporaryFile[bytes](IN_MEMORY_BYTES)  # closed with the response
    try:
        chunks = application(environ, start_response)
        try:
            for chunk in chunks:
                body.write(chunk)
        finally:
            if hasattr(chunks, "close"):
                chunks.close()
    except BaseException:
        body.close()
        raise
    status, headers = cast("tuple[str, list[tuple[str, str]]]", started)
    return WsgiResponse(int(status[:3]), encode_headers(headers), body, body.tell())


def encode_headers(headers: Iterable[tuple[str, str]]) -> list[Header]:
    """Convert WSGI headers to ASGI headers."""
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
