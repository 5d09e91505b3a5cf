"""An answer that stays open without a thread: what the web server (workers/web.py) offers to a view.

A view that finds HOLD in its environ calls it, last of all, and answers as ever with what is to be sent at once. The
connection then stays open after the answer, and whoever has the `Held` sends on. A server without it (tests, another
one) has no such key: the view streams in its own thread.
"""

from __future__ import annotations

from typing import Protocol

HOLD = "pressbox.hold"


class Held(Protocol):
    """An open answer. All of it may be called from any thread, and nothing of it waits for the client."""

    @property
    def closed(self) -> bool:
        """Nobody reads any more."""

    @property
    def unsent(self) -> int:
        """Bytes that the client has not read yet."""

    def send(self, data: bytes) -> None: ...

    def end(self) -> None:
        """Ends the answer in good order."""

    def drop(self) -> None:
        """Closes the connection, whatever was not sent."""
