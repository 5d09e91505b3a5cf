"""A cable between browser and server that can be cut.

For all that the browser asks, its service workers included.

Playwright's `set_offline` reaches a worker that the browser starts anew only after it has begun to
ask.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock, Thread
from urllib.parse import urlsplit

# What Chromium reports meanwhile: an answer that is cut in its middle has another name than a
# connection refused.
DEAD_LINE = ("net::ERR_", "htmx:sendError", "htmx:afterRequest")


class Cable:
    """Listens on a port of its own and passes all bytes on, until it is cut.

    Then it refuses connections.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._server = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._open: set[socket.socket] = set()
        self._cutting = Lock()  # a connection that is being accepted is cut too
        self._listener = self._listen(0)
        self.port: int = self._listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        with self._cutting:
            for connection in (self._listener, *list(self._open)):
                _close(connection)

    def mend(self) -> None:
        self._listener = self._listen(self.port)

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", port))
        Thread(target=self._accept, args=(listener,), daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):  # cut
            while True:
                browser, _ = listener.accept()
                server = socket.create_connection(self._server)
                with self._cutting:
                    if listener.fileno() < 0:
                        _close(browser)
                        _close(server)
                        return
                    self._open |= {browser, server}
                for source, target in ((browser, server), (server, browser)):
                    Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):  # cut, or closed by the other side
            while data := source.recv(65536):
                target.sendall(data)
        for connection in (source, target):
            _close(connection)
            self._open.discard(connection)


def _close(connection: socket.socket) -> None:
    with suppress(OSError):  # closed already
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
