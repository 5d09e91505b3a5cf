"""Questions that come while another one is answered are answered together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from flask import Flask, has_request_context

from app.core.gathering import Gathering, NotAnsweredError
from tests.waiting import patience, until


class Oracle:
    """Answers when it is let; notes what was asked together."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.may = threading.Semaphore(0)

    def __call__(self, asked: Sequence[int]) -> list[int | Exception]:
        self.asked.append(list(asked))
        self.may.acquire()
        assert not has_request_context()
        return [KeyError(one) if one < 0 else 10 * one for one in asked]


@pytest.fixture
def oracle() -> Oracle:
    return Oracle()


@pytest.fixture
def ask(app: Flask, oracle: Oracle) -> Callable[[ThreadPoolExecutor, int], Future[int]]:
    """Asks in a thread of its own, in a request; comes back when it leads or waits."""
    gathering: Gathering[int, int] = Gathering(app, oracle, size=lambda _: 1, most=3)

    def ask_in(pool: ThreadPoolExecutor, number: int) -> Future[int]:
        def asking() -> int:
            with app.test_request_context():
                return gathering.ask(number)

        before = len(oracle.asked) + len(gathering._waiting)
        future = pool.submit(asking)
        until(
            lambda: future.done() or len(oracle.asked) + len(gathering._waiting) > before, "asked"
        )
        return future

    return ask_in


def test_who_waits_is_answered_together_and_each_gets_their_own(
    oracle: Oracle, ask: Callable[[ThreadPoolExecutor, int], Future[int]]
) -> None:
    with ThreadPoolExecutor(6) as pool:
        answers = [ask(pool, number) for number in range(1, 6)]
        for _ in range(3):
            oracle.may.release()
        assert [answer.result(patience(10)) for answer in answers] == [10, 20, 30, 40, 50]
    assert oracle.asked == [[1], [2, 3, 4], [5]], "the first alone, then as many as fit"


def test_an_error_reaches_whom_it_belongs_to(
    oracle: Oracle, ask: Callable[[ThreadPoolExecutor, int], Future[int]]
) -> None:
    with ThreadPoolExecutor(6) as pool:
        first, good, bad = (ask(pool, number) for number in (1, 2, -3))
        for _ in range(2):
            oracle.may.release()
        assert (first.result(patience(10)), good.result(patience(10))) == (10, 20)
        with pytest.raises(KeyError):
            bad.result(patience(10))


def test_what_fails_as_a_whole_fails_for_all_and_the_next_are_answered(app: Flask) -> None:
    def fail(_: Sequence[int]) -> list[int | Exception]:
        raise ConnectionError

    gathering: Gathering[int, int] = Gathering(app, fail, size=lambda _: 1, most=3)
    for _ in range(2):
        with pytest.raises(ConnectionError):
            gathering.ask(1)


def test_nobody_waits_for_ever(
    oracle: Oracle,
    ask: Callable[[ThreadPoolExecutor, int], Future[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.core.gathering.LONGEST_SECONDS", 0.01)
    with ThreadPoolExecutor(6) as pool:
        first = ask(pool, 1)
        with pytest.raises(NotAnsweredError):
            ask(pool, 2).result(patience(10))
        oracle.may.release()
        assert first.result(patience(10)) == 10
    assert oracle.asked == [[1]], "nobody answers whom nobody hears any more"


def test_who_cannot_say_the_size_of_their_question_keeps_nobody_else_from_an_answer(
    app: Flask,
) -> None:
    def size(asked: int) -> int:
        if asked < 0:
            raise KeyboardInterrupt
        return 1

    gathering: Gathering[int, int] = Gathering(
        app, lambda asked: [10 * one for one in asked], size, most=3
    )
    with pytest.raises(KeyboardInterrupt):
        gathering.ask(-1)
    assert gathering.ask(1) == 10
