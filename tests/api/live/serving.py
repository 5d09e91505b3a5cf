"""The application behind its own web server, for clients that speak HTTP themselves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask

from tests.waiting import join
from workers.web.server import bind, make_server


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """Yield its address."""
    listening = bind("127.0.0.1", 0)
    host, port = listening.getsockname()
    server = make_server(app, listening, slots=4)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.should_exit = True
        join(thread)
