"""Requests that ask while another one is answered are answered together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import pytest
from flask import Flask, has_request_context

from app.core.db import db
from app.core.request_batching import BatchTimeoutError, RequestBatcher, batched
from app.record.models import Club
from tests.waiting import patience, until
from tests.worlds.games import make_game

Item = TypeVar("Item")
Result = TypeVar("Result")
Ask = Callable[[ThreadPoolExecutor, Sequence[int]], Future[list[int]]]


class Oracle:
    """Answers when it may, and notes what was asked together."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.may_answer = threading.Semaphore(0)

    def __call__(self, numbers: Sequence[int]) -> list[int | Exception]:
        self.batches.append(list(numbers))
        self.may_answer.acquire()
        assert not has_request_context()
        return [KeyError(number) if number < 0 else 10 * number for number in numbers]


@pytest.fixture
def oracle() -> Oracle:
    return Oracle()


@pytest.fixture
def ask(app: Flask, oracle: Oracle) -> Ask:
    """Asks in a thread of its own, in a request; returns when that leads or waits."""
    batcher: RequestBatcher[int, int] = RequestBatcher(app, oracle, limit=3)

    def ask_in(pool: ThreadPoolExecutor, numbers: Sequence[int]) -> Future[list[int]]:
        def ask_in_request() -> list[int]:
            with app.test_request_context():
                return batcher.ask(numbers)

        def asked() -> int:
            return len(oracle.batches) + batcher.waiting_calls

        before = asked()
        future = pool.submit(ask_in_request)
        until(lambda: future.done() or asked() > before, "asked")
        return future

    return ask_in


def test_who_waits_is_answered_together_and_each_gets_their_own(oracle: Oracle, ask: Ask) -> None:
    with ThreadPoolExecutor(6) as pool:
        answers = [ask(pool, [number]) for number in range(1, 6)]
        for _ in range(3):
            oracle.may_answer.release()
        results = [answer.result(patience(10)) for answer in answers]
    assert results == [[10], [20], [30], [40], [50]]
    assert oracle.batches == [[1], [2, 3, 4], [5]], "the first alone, then as many as fit"


def test_a_call_of_several_items_is_not_divided(oracle: Oracle, ask: Ask) -> None:
    with ThreadPoolExecutor(6) as pool:
        answers = [ask(pool, numbers) for numbers in ([1], [2, 3], [4, 5], [6, 7, 8, 9])]
        for _ in range(4):
            oracle.may_answer.release()
        results = [answer.result(patience(10)) for answer in answers]
    assert results == [[10], [20, 30], [40, 50], [60, 70, 80, 90]]
    assert oracle.batches == [[1], [2, 3], [4, 5], [6, 7, 8, 9]]


def test_an_error_reaches_whom_it_belongs_to(oracle: Oracle, ask: Ask) -> None:
    with ThreadPoolExecutor(6) as pool:
        first, good, bad = (ask(pool, [number]) for number in (1, 2, -3))
        for _ in range(2):
            oracle.may_answer.release()
        assert (first.result(patience(10)), good.result(patience(10))) == ([10], [20])
        with pytest.raises(KeyError):
            bad.result(patience(10))


def test_what_fails_as_a_whole_fails_for_all_and_the_next_are_answered(app: Flask) -> None:
    def fail(_: Sequence[int]) -> list[int | Exception]:
        raise ConnectionError

    batcher: RequestBatcher[int, int] = RequestBatcher(app, fail)
    for _ in range(2):
        with pytest.raises(ConnectionError):
            batcher.ask([1])


def test_an_answer_of_another_length_is_nobodys(app: Flask) -> None:
    batcher: RequestBatcher[int, int] = RequestBatcher(app, lambda _: [1, 2])
    with pytest.raises(ValueError, match="2 results for 1 items"):
        batcher.ask([1])


def test_nobody_waits_for_ever(oracle: Oracle, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.core.request_batching.MAX_WAIT_SECONDS", 0.01)
    with ThreadPoolExecutor(6) as pool:
        first = ask(pool, [1])
        with pytest.raises(BatchTimeoutError):
            ask(pool, [2]).result(patience(10))
        oracle.may_answer.release()
        assert first.result(patience(10)) == [10]
    assert oracle.batches == [[1]], "nobody answers whom nobody hears any more"


def test_lookups_of_all_kinds_share_a_batch(app: Flask) -> None:
    answering, may_answer = threading.Event(), threading.Event()
    batches: list[tuple[str, list[int]]] = []

    def first(numbers: Sequence[int]) -> list[int]:
        answering.set()
        assert may_answer.wait(patience(30))
        return list(numbers)

    def double(numbers: Sequence[int]) -> list[int]:
        batches.append(("double", list(numbers)))
        return [2 * number for number in numbers]

    def refuse(numbers: Sequence[int]) -> list[int]:
        batches.append(("refuse", list(numbers)))
        raise KeyError(len(numbers))

    ask_first, ask_double, ask_refuse = batched(first), batched(double), batched(refuse)

    def ask(lookup: Callable[[int], int], number: int) -> int:
        with app.test_request_context():
            return lookup(number)

    with ThreadPoolExecutor(5) as threads:
        threads.submit(ask, ask_first, 0)
        assert answering.wait(patience(30))
        doubled = [threads.submit(ask, ask_double, number) for number in (1, 2)]
        refused = [threads.submit(ask, ask_refuse, number) for number in (3, 4)]
        batchers = app.extensions["request_batchers"].values()
        until(lambda: sum(each.waiting_calls for each in batchers) == 4, "four wait")
        may_answer.set()
        assert [future.result(patience(30)) for future in doubled] == [2, 4]
        assert [type(future.exception(patience(30))) for future in refused] == [KeyError, KeyError]
    assert sorted((kind, sorted(numbers)) for kind, numbers in batches) == [
        ("double", [1, 2]),
        ("refuse", [3, 4]),
    ]


def test_rows_that_were_found_can_be_read_after_another_lookup_failed(app: Flask) -> None:
    make_game()
    answering, may_answer = threading.Event(), threading.Event()

    def first(numbers: Sequence[int]) -> list[int]:
        answering.set()
        assert may_answer.wait(patience(30))
        return list(numbers)

    def find(ids: Sequence[str]) -> list[Club]:
        return [db.session.get_one(Club, club_id) for club_id in ids]

    def refuse(numbers: Sequence[int]) -> list[int]:
        raise KeyError(len(numbers))

    ask_first, ask_find, ask_refuse = batched(first), batched(find), batched(refuse)

    def ask(lookup: Callable[[Item], Result], item: Item) -> Result:
        with app.test_request_context():
            return lookup(item)

    def name_of(club_id: str) -> str:
        return ask(ask_find, club_id).name

    with ThreadPoolExecutor(3) as threads:
        threads.submit(ask, ask_first, 0)
        assert answering.wait(patience(30))
        batchers = app.extensions["request_batchers"].values()
        name = threads.submit(name_of, "HRB")
        until(lambda: sum(each.waiting_calls for each in batchers) == 1, "the club is asked for")
        refused = threads.submit(ask, ask_refuse, 1)
        until(lambda: sum(each.waiting_calls for each in batchers) == 2, "both wait")
        may_answer.set()
        assert isinstance(refused.exception(patience(30)), KeyError)
        assert "Harbor" in name.result(patience(30))
