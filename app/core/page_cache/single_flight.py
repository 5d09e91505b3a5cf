"""Single flight: what several requests of this process want at once is made by one of them.

A request that arrives while something is being made waits for the next flight: the current one may
have read data from before a commit that the request must see. So two flights are the longest wait,
however often the data changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Generic, TypeVar

from flask import current_app

from app.core.db import db
from app.core.serving import slot_released

Result = TypeVar("Result")

WAIT_SECONDS = 5.0  # for another request's flight; then a request makes the result for itself


class _Flight(Generic[Result]):
    """`may_start`: the flight before has ended.

    `ended`: `result` is there, or None if the flight failed.
    """

    __slots__ = ("ended", "may_start", "result")

    def __init__(self) -> None:
        self.may_start = threading.Event()
        self.ended = threading.Event()
        self.result: Result | None = None


class SingleFlight(Generic[Result]):
    """What is being made, by its key."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next: dict[str, _Flight[Result] | None] = {}  # has a key for each flight under way

    def run(self, key: str, make: Callable[[bool], Result]) -> Result:
        """Return what `make` returns here, or in another thread that began after this call.

        Args:
            key: of what is made; only calls with the same key share it.
            make: gets whether another flight ended meanwhile, which may have cached the result.

        Raises:
            Exception: what `make` raises in this thread. What failed in another thread is made
                here.
        """
        with self._lock:
            is_first = key not in self._next
            flight = self._next.get(key)
            is_leader = flight is None
            flight = flight or _Flight()
            self._next[key] = None if is_first else flight
        if is_first:
            return self._lead(key, flight, lambda: make(False))
        # A request that holds a database connection keeps its turn: there are as many connections
        # as turns.
        with nullcontext() if db.session().in_transaction() else slot_released():
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
        """Call the flight off, unless it may start just now. Returns whether it was called off."""
        with self._lock:
            if flight.may_start.is_set():
                return False
            self._next[key] = None
        flight.ended.set()
        return True


def single_flight(key: str, make: Callable[[bool], Result]) -> Result:
    """See SingleFlight.run; one for each application."""
    flights: SingleFlight[Any] = current_app.extensions.setdefault("single_flight", SingleFlight())
    result: Result = flights.run(key, make)
    return result
