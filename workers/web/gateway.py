"""The ASGI application in front of Flask.

A request is read whole before it takes a thread. Under overload polls are shed, because a page
polls again by itself. Scorers have separate threads, and submitted scores one thread for all of
them. A view hands an authorised stream over with a response header.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from http import HTTPStatus
from typing import Any

import structlog
from werkzeug.exceptions import (
    ClientDisconnected,
    HTTPException,
    RequestEntityTooLarge,
    RequestTimeout,
)

from app.core.input_limits import LARGE_REQUESTS, REQUEST_BYTES, most_request_bytes
from app.core.serving import RECEIVED_AT, REFUSED_BY_SERVER, SLOTS, STREAM_HEADER, StreamSource
from workers.web import connection
from workers.web.connection import log_refusal
from workers.web.lane import RequestLane
from workers.web.request_pool import RequestPool
from workers.web.streams import OpenResponse
from workers.web.wsgi import Header, WsgiApp, WsgiResponse, build_environ, call

log = structlog.get_logger(__name__)

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

MOST_LARGE = 4  # bodies of LARGE_REQUESTS that are read and answered at once; they take memory
SCORER_SLOTS = 4
CONSOLE = "/console"
STREAM = STREAM_HEADER.lower().encode()
CONTINUES = {"type": "http.response.body", "body": b"", "more_body": True}
ENDS = {"type": "http.response.body", "body": b"", "more_body": False}
CLOSES = (b"connection", b"close")
WITHOUT_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
_SUBMISSION = re.compile(r"/v1/(games/[^/]+/(modes/[^/]+/)?)?scores")
# RFC 3986, 3.2.2 and 3.2.3: uri-host [ ":" port ]; empty if the target names no authority.
_HOST = re.compile(rb"(\[[0-9A-Fa-fv:.]+\]|[A-Za-z0-9\-._~%!$&'()*+,;=]*)(:[0-9]*)?")


class Gateway:
    """The ASGI application. Each belongs to one event loop.

    Args:
        application: the WSGI application. Requests for CONSOLE get separate slots.
        slots: how many other requests are worked on at once.
        stream_source: sends into the streams that views hand over.
    """

    def __init__(
        self, application: WsgiApp, *, slots: int, stream_source: StreamSource | None
    ) -> None:
        self.fans = RequestPool("web", slots)
        self.scorers = RequestPool("console", SCORER_SLOTS)
        self.submissions = RequestLane("submissions")
        self._application = application
        self._stream_source = stream_source
        self.large_requests = asyncio.Semaphore(MOST_LARGE)
        self._unfinished: set[asyncio.Timeout] = set()  # requests that are being read
        self._streams: set[OpenResponse] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI 3)."""
        if not has_valid_head(scope):
            log_refusal(HTTPStatus.BAD_REQUEST)
            await _send_status(send, HTTPStatus.BAD_REQUEST, [CLOSES])
            return
        if not _may_be_large(scope):
            await self._answer(scope, receive, send)
        elif self.large_requests.locked():
            await self._refuse(scope, receive, send, HTTPStatus.SERVICE_UNAVAILABLE)
        else:
            async with self.large_requests:
                await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self._read_body(scope, receive)
        except ClientDisconnected:
            return
        except HTTPException as refused:
            await self._refuse(scope, receive, send, refused.code or HTTPStatus.BAD_REQUEST)
            return
        environ = build_environ(scope, body)
        environ[RECEIVED_AT] = time.time()
        shown_tag = tag_of_poll(environ)
        if shown_tag and self.fans.is_crowded:
            log.warning("poll_shed")  # repeated lines are only counted
            headers = [(b"etag", shown_tag.encode("latin-1"))]
            await _send_status(send, HTTPStatus.NOT_MODIFIED, headers)
            return
        response = await self._ask_application(environ)
        await self._send_response(scope, receive, send, response)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, status: int) -> None:
        """Let the application say why the body was not read: as a page or as a problem."""
        log_refusal(status)
        if status == HTTPStatus.REQUEST_TIMEOUT:  # the client has stopped, or the server will
            await _send_status(send, status, [CLOSES])
            return
        environ = build_environ(scope, b"") | {REFUSED_BY_SERVER: status, "CONTENT_LENGTH": "0"}
        response = await self._ask_application(environ)
        if response is not None:
            response.headers.append(CLOSES)
        await self._send_response(scope, receive, send, response)

    def stop(self) -> None:
        """Abort requests that have not been received whole, and end all streams cleanly."""
        now = asyncio.get_running_loop().time()
        for deadline in self._unfinished:
            deadline.reschedule(now)
        for stream in list(self._streams):
            stream.end()

    async def close(self) -> None:
        """Release threads and connections. Call it after the last response."""
        for pool in (self.fans, self.scorers, self.submissions):
            pool.close()

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes:
        headers = dict(scope["headers"])
        if b"content-length" not in headers and b"transfer-encoding" not in headers:
            return b""
        most = most_request_bytes(scope["path"])
        if int(headers.get(b"content-length", 0)) > most:
            raise RequestEntityTooLarge
        body = bytearray()
        is_large = scope["path"] in LARGE_REQUESTS
        seconds = connection.LARGE_REQUEST_SECONDS if is_large else connection.REQUEST_SECONDS
        deadline = asyncio.timeout(seconds)
        self._unfinished.add(deadline)
        try:
            async with deadline:
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnected
                    body += message["body"]
                    if len(body) > most:
                        raise RequestEntityTooLarge
                    if not message["more_body"]:
                        return bytes(body)
        except TimeoutError:
            raise RequestTimeout from None
        finally:
            self._unfinished.discard(deadline)

    async def _ask_application(self, environ: dict[str, Any]) -> WsgiResponse | None:
        """Return the application's response, or None if it failed, which is logged."""
        try:
            if is_submission(environ):
                return await self.submissions.run(self._application, environ)
            pool = self.scorers if is_for_console(environ["PATH_INFO"]) else self.fans
            environ[SLOTS] = pool
            return await pool.run(partial(call, self._application, environ))
        except Exception:
            log.exception("request_failed")
            return None

    async def _send_response(
        self, scope: Scope, receive: Receive, send: Send, response: WsgiResponse | None
    ) -> None:
        if response is None:
            await _send_status(send, HTTPStatus.INTERNAL_SERVER_ERROR)
            return
        with response.body:
            description = dict(response.headers).get(STREAM)
            response.headers = [header for header in response.headers if header[0] != STREAM]
            if description is None or self._stream_source is None:
                await _send_body(scope, response, send)
            elif scope["http_version"] == "1.0":  # it could only end a stream with the connection
                await _send_status(send, HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
            else:
                await self._stream(response, description.decode("latin-1"), receive, send)

    async def _stream(
        self, response: WsgiResponse, description: str, receive: Receive, send: Send
    ) -> None:
        assert self._stream_source is not None
        headers = [header for header in response.headers if header[0] != b"content-length"]
        await send(_start(response.status, headers))
        for chunk in response.chunks():
            await send(CONTINUES | {"body": chunk})
        stream = OpenResponse()
        self._streams.add(stream)
        leaving = asyncio.create_task(_end_when_client_leaves(receive, stream))
        try:
            self._stream_source(description, stream)
            while (data := await stream.next_chunk()) is not None:
                await send(CONTINUES | {"body": data})
                stream.note_written(len(data))
            await send(ENDS)
        finally:
            leaving.cancel()
            stream.drop()
            self._streams.discard(stream)


async def _end_when_client_leaves(receive: Receive, stream: OpenResponse) -> None:
    with suppress(asyncio.CancelledError):
        while (await receive())["type"] != "http.disconnect":
            pass
        stream.drop()


def _may_be_large(scope: Scope) -> bool:
    """Whether the body may have more bytes than those of other requests."""
    length = int(dict(scope["headers"]).get(b"content-length", most_request_bytes(scope["path"])))
    return scope["path"] in LARGE_REQUESTS and length > REQUEST_BYTES


def is_for_console(path: str) -> bool:
    """Whether the request is for the console, where everybody except scorers is refused."""
    return path == CONSOLE or path.startswith(f"{CONSOLE}/")


def is_submission(environ: Mapping[str, Any]) -> bool:
    """Whether the request submits a score. A bulk is a batch by itself."""
    is_score = _SUBMISSION.fullmatch(environ["PATH_INFO"]) is not None
    return is_score and environ["REQUEST_METHOD"] == "POST"


def tag_of_poll(environ: Mapping[str, Any]) -> str:
    """Return the ETag of a poll that may be shed; a scorer's poll keeps their lease of the game."""
    is_poll = environ["REQUEST_METHOD"] == "GET" and "HTTP_HX_REQUEST" in environ
    if not is_poll or is_for_console(environ["PATH_INFO"]):
        return ""
    return str(environ.get("HTTP_IF_NONE_MATCH", ""))


def has_valid_head(scope: Scope) -> bool:
    """Whether there is one host, and the body's end can be read in one way (RFC 9112, 3.2 and 6.1).

    httptools accepts more.
    """
    headers = scope["headers"]
    is_needed = scope["http_version"] != "1.0"
    hosts = [value for name, value in headers if name == b"host"]
    encodings = [value.lower().strip() for name, value in headers if name == b"transfer-encoding"]
    if (len(hosts) != 1 and (hosts or is_needed)) or not all(map(_is_host, hosts)):
        return False
    has_length = any(name == b"content-length" for name, _ in headers)
    return not encodings or (is_needed and not has_length and encodings == [b"chunked"])


@lru_cache(maxsize=256)
def _is_host(value: bytes) -> bool:
    """Whether it is a valid host and, if it is a name, one from which Flask can build URLs.

    Labels have 1 to 63 characters (RFC 1035, 2.3.4), and those that begin with `xn--` are encoded
    as RFC 3492 says.
    """
    match = _HOST.fullmatch(value)
    if match is None:
        return False
    try:
        match[1].decode("ascii").encode("idna").decode("idna")
    except UnicodeError:
        return False
    return True


async def _send_body(scope: Scope, response: WsgiResponse, send: Send) -> None:
    headers = response.headers
    has_body = response.status not in WITHOUT_BODY and scope["method"] != "HEAD"
    if has_body and not any(name == b"content-length" for name, _ in headers):
        headers = [*headers, (b"content-length", str(response.length).encode())]
    await send(_start(response.status, headers))
    for chunk in response.chunks() if has_body else ():
        await send(CONTINUES | {"body": chunk})
    await send(ENDS)


async def _send_status(send: Send, status: int, headers: Iterable[Header] = ()) -> None:
    """Send a response whose text is the status's own phrase."""
    text = b"" if status in WITHOUT_BODY else HTTPStatus(status).phrase.encode()
    length = (b"content-length", str(len(text)).encode())
    described = [(b"content-type", b"text/plain; charset=utf-8"), length] if text else []
    await send(_start(status, [*headers, *described]))
    await send(ENDS | {"body": text})


def _start(status: int, headers: list[Header]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": headers}
