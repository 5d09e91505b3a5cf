"""Request batching: answers the items of concurrent requests of a process together.

The first request answers its own items, and those of requests that are ready to ask. Requests that
arrive meanwhile wait, and the first of them answers for all. So no request waits for a batch to
fill, and under load one statement or round trip serves many requests
(docs/decisions/0080-request-batching-stays.md). The functions that answer the items are in each
subject.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextvars import Context
from functools import update_wrapper
from typing import Any, Generic, TypeVar

from flask import Flask, current_app

from app.core.db import db
from app.core.serving import call_aside, let_others, wait_for

Item = TypeVar("Item")
Result = TypeVar("Result")

Answer = Callable[[Sequence[Item]], Sequence[Result | Exception]]
"""Returns a result per item, in the same order; an exception is raised to the item's request."""

MAX_BATCH = 256  # items
MAX_WAIT_SECONDS = 30.0  # timeouts of all stores are much shorter


class BatchTimeoutError(Exception):
    """The items were not answered in time."""


class _Call(Generic[Item, Result]):
    """The items of one request. `leads` says whether this request answers the next batch."""

    __slots__ = ("error", "items", "leads", "results", "woken")

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.results: list[Result | Exception] = []
        self.error: BaseException | None = None
        self.leads = False
        self.woken: Future[None] = Future()


class RequestBatcher(Generic[Item, Result]):
    """Answers the items of concurrent requests in batches.

    `answer` runs in a separate application context, outside of any request. So the session and
    user of the request that happens to run it cannot affect the others.

    Args:
        app: the application whose context `answer` runs in.
        answer: see Answer.
        limit: items per batch; a larger call is a batch by itself.
    """

    def __init__(self, app: Flask, answer: Answer[Item, Result], limit: int = MAX_BATCH) -> None:
        self._app = app
        self._answer = answer
        self._limit = limit
        self._lock = threading.Lock()
        self._waiting: deque[_Call[Item, Result]] = deque()
        self._has_leader = False

    @property
    def waiting_calls(self) -> int:
        """How many requests are not in a batch yet."""
        return len(self._waiting)

    def ask(self, items: Sequence[Item]) -> list[Result]:
        """Return the result of each item, in order.

        Raises:
            Exception: `answer` raised it, or returned it for one of these items.
            BatchTimeoutError: the previous batches did not end in time.
        """
        call: _Call[Item, Result] = _Call(items)
        with self._lock:
            self._waiting.append(call)
            call.leads = not self._has_leader
            self._has_leader = True
        if not call.leads:
            self._wait(call)
        if call.leads:
            self._lead()
        if call.error is not None:
            raise call.error
        return [_result(result) for result in call.results]

    def _wait(self, call: _Call[Item, Result]) -> None:
        if wait_for(call.woken, MAX_WAIT_SECONDS):
            return
        with self._lock:
            if call in self._waiting and not call.leads:
                self._waiting.remove(call)
        if not call.leads:
            raise BatchTimeoutError

    def _lead(self) -> None:
        """Answer the waiting calls, then let the next request lead."""
        let_others()  # what they ask joins the batch
        batch = self._take_batch()
        try:
            items = [item for call in batch for item in call.items]

            def call_batch() -> Sequence[Result | Exception]:
                return Context().run(self._run, items)

            results = iter(call_aside(call_batch))
            for call in batch:
                call.results = [next(results) for _ in call.items]
        except BaseException as error:  # noqa: BLE001 (raised to each request of the batch)
            for call in batch:
                call.error = error
        finally:
            for call in batch[1:]:
                call.woken.set_result(None)
            self._pass_on()

    def _take_batch(self) -> list[_Call[Item, Result]]:
        batch: list[_Call[Item, Result]] = []
        size = 0
        with self._lock:
            while self._waiting and (
                not batch or size + len(self._waiting[0].items) <= self._limit
            ):
                batch.append(self._waiting.popleft())
                size += len(batch[-1].items)
        return batch

    def _pass_on(self) -> None:
        with self._lock:
            next_leader = self._waiting[0] if self._waiting else None
            self._has_leader = next_leader is not None
            if next_leader is not None:
                next_leader.leads = True
                next_leader.woken.set_result(None)

    def _run(self, items: Sequence[Item]) -> Sequence[Result | Exception]:
        with self._app.app_context():
            results = self._answer(items)
        if len(results) != len(items):
            raise ValueError(f"{len(results)} results for {len(items)} items")
        return results


def batched_apart(
    answer: Answer[Item, Result], *, limit: int = MAX_BATCH
) -> Callable[[Sequence[Item]], list[Result]]:
    """Make `answer` answer the items of all concurrent calls together.

    Each application has one RequestBatcher for the function, so that no lookup waits for it.
    """
    making = threading.Lock()

    def ask(items: Sequence[Item]) -> list[Result]:
        batchers: dict[Any, RequestBatcher[Item, Result]]
        batchers = current_app.extensions.setdefault("request_batchers", {})
        if answer not in batchers:
            with making:
                if answer not in batchers:
                    app = current_app._get_current_object()  # type: ignore[attr-defined]
                    batchers[answer] = RequestBatcher(app, answer, limit)
        return batchers[answer].ask(items)

    return update_wrapper(ask, answer, assigned=("__doc__",), updated=())


def batched_calls(answer: Answer[Item, Result]) -> Callable[[Sequence[Item]], list[Result]]:
    """Make `answer`, a lookup, answer the items of all concurrent calls together.

    All lookups share one RequestBatcher: a batch holds whatever was asked during the one before,
    and few large batches cost less than many small ones
    (docs/decisions/0099-lookups-share-a-batch.md).
    """

    def ask(items: Sequence[Item]) -> list[Result]:
        return _look_up([(answer, item) for item in items])

    return update_wrapper(ask, answer, assigned=("__doc__",), updated=())


def batched(answer: Answer[Item, Result]) -> Callable[[Item], Result]:
    """Like batched_calls, for calls with one item."""
    ask_many = batched_calls(answer)

    def ask(item: Item) -> Result:
        return ask_many([item])[0]

    return update_wrapper(ask, answer, assigned=("__doc__",), updated=())


_Question = tuple[Answer[Any, Any], Any]


def _answer_lookups(questions: Sequence[_Question]) -> list[Any]:
    """Answer the items of each function together, one function after the other."""
    numbers_of: dict[Answer[Any, Any], list[int]] = {}
    for number, (answer, _) in enumerate(questions):
        numbers_of.setdefault(answer, []).append(number)
    results: dict[int, Any] = {}
    for answer, numbers in numbers_of.items():
        items = [questions[number][1] for number in numbers]
        try:
            answers = answer(items)
        except Exception as error:  # noqa: BLE001 (raised to the requests that asked this)
            db.session.expunge_all()  # a rollback would expire what others have found
            db.session.rollback()
            answers = [error] * len(items)
        results |= zip(numbers, answers, strict=True)
    return [results[number] for number in range(len(questions))]


_look_up = batched_apart(_answer_lookups)


def _result(result: Result | Exception) -> Result:
    if isinstance(result, Exception):
        raise result
    return result
