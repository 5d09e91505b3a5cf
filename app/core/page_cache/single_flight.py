"""Single flight: if several requests of this process need the same result, one of them computes it.

A request that arrives during a flight waits for the next one, because the current flight may have
read data from before a commit that the request must see. So no request waits for more than two
flights, however often the data changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Generic, TypeVar

from flask import current_app

from app.core.serving import slot_released

Result = TypeVar("Result")

WAIT_SECONDS = 5.0  # for another request's flight; after that a request computes the result itself


class _Flight(Generic[Result]):
    """One computation of a result.

    `may_start` is set when the previous flight has ended, and `ended` when this one has. Then
    `result` is set, or None if the flight failed.
    """

    __slots__ = ("ended", "may_start", "result")

    def __init__(self) -> None:
        self.may_start = threading.Event()
        self.ended = threading.Event()
        self.result: Result | None = None


class SingleFlight(Generic[Result]):
    """The flights that are under way or waiting, by key."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next: dict[str, _Flight[Result] | None] = {}  # has a key for each flight under way

    def run(self, key: str, make: Callable[[bool], Result]) -> Result:
        """Return what `make` returns here, or in another thread that began after this call.

        Args:
            key: only calls with the same key share a result.
            make: its argument says whether another flight ended meanwhile, which may have cached
                the result.

        Raises:
            Exception: `make` raised it in this thread. If a flight fails in another thread, this
                thread calls `make` itself.
        """
        with self._lock:
            is_first = key not in self._next
            flight = self._next.get(key)
            is_leader = flight is None
            flight = flight or _Flight()
            self._next[key] = None if is_first else flight
        if is_first:
            return self._lead(key, flight, lambda: make(False))
        # The leader of the next flight keeps its slot: requests that keep theirs, because they hold
        # a database connection, could have taken all slots by the time it may start.
        with nullcontext() if is_leader else slot_released():
            in_time = (flight.may_start if is_leader else flight.ended).wait(WAIT_SECONDS)
        if is_leader and (in_time or not self._give_up(key, flight)):
            return self._lead(key, flight, lambda: make(True))
        result = flight.result if in_time else None
        return make(True) if result is None else result

    def _lead(self, key: str, flight: _Flight[Result], make: Callable[[], Result]) -> Result:
        try:
            flight.result = make()
            return flight.result
        finally:
            flight.ended.set()
            with self._lock:
                following = self._next[key]
                if following is None:
                    del self._next[key]
                else:
                    self._next[key] = None
                    following.may_start.set()

    def _give_up(self, key: str, flight: _Flight[Result]) -> bool:
        """Cancel the flight unless it may start now. Returns whether it was cancelled."""
        with self._lock:
            if flight.may_start.is_set():
                return False
            self._next[key] = None
        flight.ended.set()
        return True


def single_flight(key: str, make: Callable[[bool], Result]) -> Result:
    """Like SingleFlight.run, with one SingleFlight per application."""
    flights: SingleFlight[Any] = current_app.extensions.setdefault("single_flight", SingleFlight())
    result: Result = flights.run(key, make)
    return result
