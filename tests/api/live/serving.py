"""The application behind a real socket, for what speaks HTTP itself: the client, the example, the guide."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask
from werkzeug.serving import make_server

from tests.waiting import join


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """Its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        join(thread)
        server.server_close()
