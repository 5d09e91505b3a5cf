"""The services that the web server (workers/web) offers to a view.

It says when the request was received, lets other requests continue while one waits, and holds a
stream of events open without a thread. A test client offers none of this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Protocol, TypeVar

from flask import Flask, Response, has_request_context, request

from app.core import clock
from app.core.db import holds_connection

Result = TypeVar("Result")

# In the WSGI environment: the status of a request whose body the server did not read. The
# application answers it with a page or a problem.
REFUSED_BY_SERVER = "pressbox.refused"
RECEIVED_AT = "pressbox.received_at"  # in the WSGI environment: seconds since 1970
SLOTS = "pressbox.slots"
LANE = "pressbox.lane"
STREAM_HEADER = "X-Pressbox-Stream"
STREAM_SOURCES = "stream_sources"  # of app.extensions: each StreamSource by its name


def received_at() -> datetime:
    """Return when the server had received the whole request; now, if the server does not say."""
    moment: float | None = request.environ.get(RECEIVED_AT) if has_request_context() else None
    return clock.now() if moment is None else datetime.fromtimestamp(moment, UTC)


class Slots(Protocol):
    """Limits how many requests work at once (workers/web/request_pool.py)."""

    def release(self) -> None:
        """Give the slot to the next request."""

    def reacquire(self) -> None:
        """Wait for a slot after releasing one."""


@contextmanager
def slot_released() -> Iterator[None]:
    """Let another request be answered during a wait in the middle of this one.

    A request that holds a connection keeps its slot: the pool has one connection per slot.
    """
    slots: Slots | None = request.environ.get(SLOTS) if has_request_context() else None
    if slots is None or holds_connection():
        yield
        return
    slots.release()
    try:
        yield
    finally:
        slots.reacquire()


class Lane(Protocol):
    """Works on many requests in one thread (workers/web/lane.py)."""

    def wait(self, future: Future[None], seconds: float) -> None:
        """Continue with other requests until the future is done, or for so many seconds."""

    def let_others(self) -> None:
        """Continue after the requests that are ready now."""

    def call_aside(self, call: Callable[[], Result]) -> Result:
        """Call in another thread, and continue with other requests meanwhile."""


def wait_for(future: Future[None], seconds: float) -> bool:
    """Wait up to `seconds` until the future is done; other requests continue as in slot_released.

    Returns whether it is done.
    """
    lane = _lane()
    if lane is not None:
        lane.wait(future, seconds)
    else:
        with slot_released():
            wait([future], seconds)
    return future.done()


def let_others() -> None:
    """Let the other requests of a lane that are ready have their turn first."""
    lane = _lane()
    if lane is not None:
        lane.let_others()


def call_aside(call: Callable[[], Result]) -> Result:
    """Call something that waits for stores, which must not stop the requests of a lane."""
    lane = _lane()
    return call() if lane is None else lane.call_aside(call)


def _lane() -> Lane | None:
    """The lane of this request, unless it holds a connection (see slot_released)."""
    return request.environ.get(LANE) if has_request_context() and not holds_connection() else None


class OpenStream(Protocol):
    """A response that stays open. Safe for threads; nothing waits for the client."""

    @property
    def is_closed(self) -> bool:
        """Whether the client has left or the response has ended."""

    @property
    def unsent_bytes(self) -> int:
        """How much the client has not read yet."""

    def send(self, data: bytes) -> None:
        """Write as soon as the client has read what was sent before."""

    def end(self) -> None:
        """End the response after what was sent before."""

    def drop(self) -> None:
        """End the response without what the client has not read yet."""


# Gets the description that the view passed to `hand_over`, and then sends to the stream.
StreamSource = Callable[[str, OpenStream], None]


def can_hand_over() -> bool:
    """Whether the server can hold streams open. If it cannot, the view answers at once."""
    return SLOTS in request.environ


def add_stream_source(app: Flask, name: str, source: StreamSource) -> None:
    """Register a source that views can hand streams over to."""
    app.extensions.setdefault(STREAM_SOURCES, {})[name] = source


def stream_source(app: Flask) -> StreamSource:
    """Return the source of all streams of the application, which finds each by its name."""
    sources: dict[str, StreamSource] = app.extensions.get(STREAM_SOURCES, {})

    def open_stream(description: str, stream: OpenStream) -> None:
        name, _, own_description = description.partition(" ")
        sources[name](own_description, stream)

    return open_stream


def hand_over(response: Response, source: str, description: str) -> Response:
    """Keep this response open: the server calls the source of this name with the description.

    The view has authorised the request; its body is sent first. The header never reaches the
    client (as X-Accel-Redirect of nginx).
    """
    response.headers[STREAM_HEADER] = f"{source} {description}"
    return response
