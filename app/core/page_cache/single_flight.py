"""Single flight: if several requests of this process need the same result, one of them computes it.

A request that arrives during a flight waits for the next one, because the current one may have read
data from before a commit that the request must see. No request waits for more than two flights.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import nullcontext
from typing import Any, Generic, TypeVar

from flask import current_app

from app.core.serving import slot_released

Result = TypeVar("Result")

WAIT_SECONDS = 5.0  # for another request's flight; after that a request computes the result itself


class SingleFlight(Generic[Result]):
    """The flights that are under way, and the next ones, by key."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[str, Future[Result]] = {}
        self._next: dict[str, Future[Result]] = {}

    def run(self, key: str, make: Callable[[bool], Result]) -> Result:
        """Return what `make` returns here, or in another thread that began after this call.

        Args:
            key: only calls with the same key share a result.
            make: gets whether another flight, which may have cached the result, ended meanwhile.

        Raises:
            Exception: `make` raised it. If it fails in another thread, this one calls it too.
        """
        flight: Future[Result] = Future()
        with self._lock:
            earlier = self._under_way.setdefault(key, flight)
            following = flight if earlier is flight else self._next.setdefault(key, flight)
        if earlier is flight:
            return self._lead(key, flight, lambda: make(False))
        is_leader = following is flight
        # The leader of the next flight keeps its slot: requests that keep theirs, because they hold
        # a database connection, could have taken all slots by the time it may start.
        with nullcontext() if is_leader else slot_released():
            wait([earlier if is_leader else following], WAIT_SECONDS)
        if is_leader:
            with self._lock:
                if self._under_way.get(key) is earlier:  # it takes too long
                    self._under_way[key] = self._next.pop(key)
            return self._lead(key, flight, lambda: make(True))
        is_made = following.done() and following.exception() is None
        return following.result() if is_made else make(True)

    def _lead(self, key: str, flight: Future[Result], make: Callable[[], Result]) -> Result:
        try:
            result = make()
        except BaseException as error:
            self._end(key, flight)
            flight.set_exception(error)
            raise
        self._end(key, flight)
        flight.set_result(result)
        return result

    def _end(self, key: str, flight: Future[Result]) -> None:
        """Put the next flight, if any, in the place of this one, before its thread is woken."""
        with self._lock:
            if self._under_way.get(key) is flight:
                del self._under_way[key]
                if key in self._next:
                    self._under_way[key] = self._next.pop(key)


def single_flight(key: str, make: Callable[[bool], Result]) -> Result:
    """Like SingleFlight.run, with one SingleFlight per application."""
    flights: SingleFlight[Any] = current_app.extensions.setdefault("single_flight", SingleFlight())
    result: Result = flights.run(key, make)
    return result
