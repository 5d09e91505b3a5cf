"""The application behind a real socket, for what speaks HTTP itself: the client, the example, the
guide.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from flask import Flask
from werkzeug.serving import ThreadedWSGIServer

from app.scores import feed
from tests.http_server import running


class Server(ThreadedWSGIServer):
    """Its end waits for every request's: a stream that goes on would count as one of the next
    test's.
    """

    daemon_threads = False


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """Its address.

    A stream whose reader has gone ends with the next sign of life, so these come often.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feed, "KEEP_ALIVE_SECONDS", 0.1)
        with running(Server("127.0.0.1", 0, app)) as address:
            yield address
