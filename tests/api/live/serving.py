"""The application behind a real socket, for what speaks HTTP itself: the client, the example, the guide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask
from werkzeug.serving import make_server

from tests.http_server import running


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """Its address."""
    with running(make_server("127.0.0.1", 0, app, threaded=True)) as address:
        yield address
