"""Slots of the web server: who goes next."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from tests.waiting import join, until
from workers.web.request_pool import Slots


class Line:
    """Requests that wait for one slot, and the order in which they got it."""

    def __init__(self) -> None:
        self.slots = Slots(1)
        self.slots.enter_line()
        self.slots.acquire()
        self.order: list[str] = []
        self._threads: list[threading.Thread] = []

    def wait_as(self, name: str, acquire: Callable[[], None], *, returns: bool = False) -> None:
        """Begin to wait, and return when it does."""

        def take() -> None:
            acquire()
            self.order.append(name)
            self.slots.release()

        if not returns:
            self.slots.enter_line()
        before = len(self._threads)
        thread = threading.Thread(target=take)
        self._threads.append(thread)
        thread.start()
        waiting = self.slots._new, self.slots._returning
        until(lambda: sum(map(len, waiting)) == before + 1, "it waits", seconds=10)

    def give(self) -> list[str]:
        """Release the slot, and return who got it, in order."""
        self.slots.release()
        for thread in self._threads:
            join(thread)
        return self.order


@pytest.fixture
def line() -> Line:
    return Line()


def test_who_waited_longest_goes_first(line: Line) -> None:
    for name in ("first", "second", "third"):
        line.wait_as(name, line.slots.acquire)
    assert line.slots.waiting == 3
    assert line.give() == ["first", "second", "third"]
    assert line.slots.waiting == 0


def test_who_had_a_slot_goes_before_all_others(line: Line) -> None:
    line.wait_as("new", line.slots.acquire)
    line.wait_as("returning", line.slots.reacquire, returns=True)
    assert line.give() == ["returning", "new"]


def test_a_slot_that_nobody_waits_for_is_free(line: Line) -> None:
    line.slots.release()
    line.slots.enter_line()
    line.slots.acquire()
    assert not line.slots.is_crowded
