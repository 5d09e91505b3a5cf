"""Single flight: one request computes for all that asked before it began."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count

import pytest
from flask import Flask

from app.core.page_cache import single_flight
from app.core.page_cache.single_flight import SingleFlight
from tests.waiting import patience


class Made:
    """Numbers what is made; the first one waits for `go`."""

    def __init__(self, app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
        self.app, self.flights = app, SingleFlight[int]()
        self.begun, self.go = threading.Event(), threading.Event()
        self.waits = threading.Semaphore(0)
        self.numbers, self.later = count(1), list[bool]()
        self.fails: set[int] = set()
        monkeypatch.setattr(single_flight, "slot_released", self.lent)

    @contextmanager
    def lent(self) -> Iterator[None]:
        self.waits.release()
        yield

    def make(self, is_later: bool) -> int:
        number = next(self.numbers)
        self.later.append(is_later)
        if number == 1:
            self.begun.set()
            assert self.go.wait(patience(30))
        if number in self.fails:
            raise RuntimeError(f"{number} failed")
        return number

    def ask(self) -> int:
        with self.app.app_context():
            return self.flights.run("key", self.make)


@pytest.fixture
def made(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Made:
    return Made(app, monkeypatch)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as found:
        yield found


def first_and_two_more(made: Made, pool: ThreadPoolExecutor) -> list[Future[int]]:
    """The first one is at it, and two wait."""
    found = [pool.submit(made.ask)]
    assert made.begun.wait(patience(30))
    for _ in range(2):
        found.append(pool.submit(made.ask))
        assert made.waits.acquire(timeout=patience(30))
    return found


def test_one_after_the_other_each_makes_it(made: Made) -> None:
    made.go.set()
    assert [made.ask(), made.ask()] == [1, 2]
    assert made.later == [False, False]


def test_who_asks_meanwhile_gets_what_was_begun_after_they_asked(
    made: Made, pool: ThreadPoolExecutor
) -> None:
    found = first_and_two_more(made, pool)
    made.go.set()
    assert [one.result(patience(30)) for one in found] == [1, 2, 2]
    assert made.later == [False, True]
    assert made.ask() == 3, "nobody is waited for any more"


def test_what_fails_is_raised_to_who_made_it_and_the_next_round_goes_on(
    made: Made, pool: ThreadPoolExecutor
) -> None:
    made.fails = {1}
    found = first_and_two_more(made, pool)
    made.go.set()
    with pytest.raises(RuntimeError, match="1 failed"):
        found[0].result(patience(30))
    assert [one.result(patience(30)) for one in found[1:]] == [2, 2]


def test_who_waited_for_what_failed_makes_it_alone(made: Made, pool: ThreadPoolExecutor) -> None:
    made.fails = {2}
    found = first_and_two_more(made, pool)
    made.go.set()
    assert found[0].result(patience(30)) == 1
    with pytest.raises(RuntimeError, match="2 failed"):
        found[1].result(patience(30))
    assert found[2].result(patience(30)) == 3


def test_nobody_waits_for_ever(
    made: Made, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single_flight, "WAIT_SECONDS", 0.01)
    found = first_and_two_more(made, pool)
    assert sorted(one.result(patience(30)) for one in found[1:]) == [2, 3]
    made.go.set()
    assert found[0].result(patience(30)) == 1
    assert made.ask() == 4
