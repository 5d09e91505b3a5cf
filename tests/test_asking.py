"""Questions to a slow store.

Asked once for all, shared for a moment, and nobody waits longer than they said.
"""

from __future__ import annotations

import threading

import pytest

from app.core.coalescing import AnswerTimeoutError, Asking
from tests.waiting import join, patience, until, wait_for


class Store:
    """Answers once it may; counts how often it was asked."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.asked = 0

    def look(self) -> int:
        self.asked += 1
        number = self.asked
        wait_for(self.may_answer, "the store may answer", seconds=60)
        return number


def test_who_asks_the_same_meanwhile_waits_for_the_same_answer() -> None:
    store, asking, answer = Store(), Asking(1), []
    threads = [
        threading.Thread(
            target=lambda: answer.append(
                asking.ask("a", store.look, patience=patience(60), shared=60)
            )
        )
        for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    until(lambda: store.asked == 1, "the question is asked")
    store.may_answer.set()
    join(*threads)
    assert answer == [1] * 5


def test_an_answer_is_shared_for_its_time_alone() -> None:
    store, asking = Store(), Asking(1)
    store.may_answer.set()
    assert [asking.ask("a", store.look, patience=patience(60), shared=60) for _ in range(3)] == [
        1,
        1,
        1,
    ]
    assert asking.ask("b", store.look, patience=patience(60), shared=60) == 2
    assert asking.ask("a", store.look, patience=patience(60), shared=0) == 3


def test_a_slow_store_holds_nobody_longer_than_they_wait_and_is_not_asked_twice() -> None:
    store, asking = Store(), Asking(1)
    for _ in range(3):  # it would answer those who held on
        with pytest.raises(AnswerTimeoutError, match="within"):
            asking.ask("a", store.look, patience=0.05)
    with pytest.raises(AnswerTimeoutError, match="other calls"):
        asking.ask("b", store.look, patience=patience(60))
    until(lambda: store.asked == 1, "the question is asked")
    store.may_answer.set()
    assert asking.ask("a", store.look, patience=patience(60), shared=60) == 1
    assert asking.ask("b", store.look, patience=patience(60)) == 2


def test_a_fault_is_shared_too() -> None:
    asked = []

    def fail() -> None:
        asked.append(1)
        raise ConnectionError("away")

    asking = Asking(1)
    for _ in range(3):
        with pytest.raises(ConnectionError, match="away"):
            asking.ask("a", fail, patience=patience(60), shared=60)
    assert len(asked) == 1


def test_a_look_that_times_out_by_itself_says_so() -> None:
    def fail() -> None:
        raise TimeoutError("of the store")

    with pytest.raises(TimeoutError, match="of the store"):
        Asking(1).ask("a", fail, patience=patience(60))
