"""Somebody else's HTTP service, as long as a test needs it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer

from tests.waiting import join


class Quiet(BaseHTTPRequestHandler):
    """Answers without a line on the terminal."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def running(server: HTTPServer) -> Iterator[str]:
    """The address of the server, which runs meanwhile."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        join(thread)


def serving(handler: type[Quiet]) -> ThreadingHTTPServer:
    """A server at a free port of this machine."""
    return ThreadingHTTPServer(("127.0.0.1", 0), handler)
