"""What the web server (workers/web.py) offers to a view that waits: an answer that stays open, and lending its turn.

A view that finds HOLD in its environ calls it, last of all, and answers as ever with what is to be sent at once. The
connection then stays open after the answer, and whoever has the `Held` sends on, without a thread. A server without it
(tests, another one) has no such key: the view streams in its own thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Semaphore
from typing import Protocol

from flask import has_request_context, request

HOLD = "pressbox.hold"
TURN = "pressbox.turn"


@contextmanager
def turn_lent() -> Iterator[None]:
    """For a wait in the middle of a request: another request is answered meanwhile, which gives the turn back.

    No connection of PostgreSQL's pool may be held in it: there is one for each turn, not for each who waits.
    """
    turn: Semaphore | None = request.environ.get(TURN) if has_request_context() else None
    if turn is None:
        yield
        return
    turn.release()
    try:
        yield
    finally:
        turn.acquire()


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
