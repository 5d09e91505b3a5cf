"""What the web server (workers/web.py) offers to a view: an answer that stays open, lending its
turn, and when it had the request.

A view that finds HOLD in its environ calls it, last of all, and answers as ever with what is to be
sent at once. The connection then stays open after the answer, and whoever has the `Held` sends on,
without a thread. A server without it (tests, another one) has no such key: the view streams in its
own thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Protocol

from flask import has_request_context, request

from app.core import clock

HOLD = "pressbox.hold"
TURN = "pressbox.turn"
RECEIVED = "pressbox.received"  # seconds since 1970


def received_at() -> datetime:
    """When the server had the whole request that is being answered, before it waited for its turn.

    Now, where the server does not say so (tests, another one).
    """
    moment: float | None = request.environ.get(RECEIVED) if has_request_context() else None
    return clock.now() if moment is None else datetime.fromtimestamp(moment, UTC)


class Turn(Protocol):
    def acquire(self) -> object: ...

    def release(self) -> None: ...


@contextmanager
def turn_lent() -> Iterator[None]:
    """For a wait in the middle of a request: another request is answered meanwhile, which gives the
    turn back.

    No connection of PostgreSQL's pool may be held in it: there is one for each turn, not for each
    who waits.
    """
    turn: Turn | None = request.environ.get(TURN) if has_request_context() else None
    if turn is None:
        yield
        return
    turn.release()
    try:
        yield
    finally:
        turn.acquire()


class Held(Protocol):
    """An open answer.

    All of it may be called from any thread, and nothing of it waits for the client.
    """

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
