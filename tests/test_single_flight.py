"""Single flight: one request computes for all that asked before it began."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import count

import pytest
from flask import Flask
from sqlalchemy import text

from app.core.db import db
from app.core.page_cache import single_flight
from app.core.page_cache.single_flight import SingleFlight
from app.core.serving import SLOTS
from tests.loops import run_in_thread
from tests.waiting import patience
from workers.web.request_pool import RequestPool


class Made:
    """Numbers what is made; the first one waits for `go`."""

    def __init__(self, app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
        self.app, self.flights = app, SingleFlight[int]()
        self.begun, self.go = threading.Event(), threading.Event()
        self.waits = threading.Semaphore(0)
        self.numbers, self.later = count(1), list[bool]()
        self.fails: set[int] = set()
        for name in ("slot_released", "nullcontext"):  # around each wait
            context = partial(self.noted, getattr(single_flight, name))
            monkeypatch.setattr(single_flight, name, context)

    @contextmanager
    def noted(self, context: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
        with context():
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
def calls(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Made:
    return Made(app, monkeypatch)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as values:
        yield values


def first_and_two_more(calls: Made, pool: ThreadPoolExecutor) -> list[Future[int]]:
    """The first one is at it, and two wait."""
    values = [pool.submit(calls.ask)]
    assert calls.begun.wait(patience(30))
    for _ in range(2):
        values.append(pool.submit(calls.ask))
        assert calls.waits.acquire(timeout=patience(30))
    return values


def test_one_after_the_other_each_makes_it(calls: Made) -> None:
    calls.go.set()
    assert [calls.ask(), calls.ask()] == [1, 2]
    assert calls.later == [False, False]


def test_who_asks_meanwhile_gets_what_was_begun_after_they_asked(
    calls: Made, pool: ThreadPoolExecutor
) -> None:
    values = first_and_two_more(calls, pool)
    calls.go.set()
    assert [value.result(patience(30)) for value in values] == [1, 2, 2]
    assert calls.later == [False, True]
    assert calls.ask() == 3, "nobody is waited for any more"


def test_what_fails_is_raised_to_who_made_it_and_the_next_round_goes_on(
    calls: Made, pool: ThreadPoolExecutor
) -> None:
    calls.fails = {1}
    values = first_and_two_more(calls, pool)
    calls.go.set()
    with pytest.raises(RuntimeError, match="1 failed"):
        values[0].result(patience(30))
    assert [value.result(patience(30)) for value in values[1:]] == [2, 2]


def test_who_waited_for_what_failed_makes_it_alone(calls: Made, pool: ThreadPoolExecutor) -> None:
    calls.fails = {2}
    values = first_and_two_more(calls, pool)
    calls.go.set()
    assert values[0].result(patience(30)) == 1
    with pytest.raises(RuntimeError, match="2 failed"):
        values[1].result(patience(30))
    assert values[2].result(patience(30)) == 3


def test_nobody_waits_for_ever(
    calls: Made, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single_flight, "WAIT_SECONDS", 0.01)
    values = first_and_two_more(calls, pool)
    assert {value.result(patience(30)) for value in values[1:]} <= {2, 3}
    calls.go.set()
    assert values[0].result(patience(30)) == 1
    assert calls.ask() > 2, "nobody is waited for any more"


def test_requests_that_hold_a_connection_do_not_keep_the_next_flight_from_its_slot(
    app: Flask, calls: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would wait for it in the slots that they keep."""
    monkeypatch.setattr(single_flight, "WAIT_SECONDS", 10 * patience(30))

    async def story() -> list[int]:
        slots = RequestPool("test", 2)

        def ask(*, holds_connection: bool) -> int:
            with app.test_request_context(environ_overrides={SLOTS: slots}):
                if holds_connection:
                    db.session.execute(text("SELECT 1"))
                return calls.flights.run("key", calls.make)

        def begin(*, holds_connection: bool) -> asyncio.Task[int]:
            return asyncio.create_task(slots.run(partial(ask, holds_connection=holds_connection)))

        values = [begin(holds_connection=False)]
        await asyncio.to_thread(calls.begun.wait, patience(30))
        values.append(begin(holds_connection=False))
        await asyncio.to_thread(calls.waits.acquire, timeout=patience(30))
        values += [begin(holds_connection=True) for _ in range(2)]
        await asyncio.sleep(0)
        assert slots.waiting == 2, "both wait for a slot, not in one"
        calls.go.set()
        return list(await asyncio.wait_for(asyncio.gather(*values), patience(30)))

    numbers = run_in_thread(story())
    assert sorted(numbers[:2]) == [1, 2]
    assert all(number > 1 for number in numbers[2:])
