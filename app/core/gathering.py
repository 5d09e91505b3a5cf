"""Requests that ask the same question at the same time are answered together: one statement or
round trip for all.

Whoever asks first answers at once, for themselves alone; whoever asks meanwhile waits with their
turn lent, and the first of them then answers for all of those. So nobody waits for company, and the
more ask, the less each costs. Not here: what is asked (the subjects say it with `gathered`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from contextvars import Context
from functools import update_wrapper
from typing import Any, Generic, TypeVar

from flask import Flask, current_app

from app.core.db import db
from app.core.serving import slot_released

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

MOST = 256  # of one round
LONGEST_SECONDS = 30.0  # the wait for an answer; each store that may be asked gives up long before


class NotAnsweredError(Exception):
    """Nobody answered in time."""


class _One(Generic[Asked, Answer]):
    """A question and its answer, which are an error where that came of it.

    `leads`: to answer it falls to who asked.
    """

    __slots__ = ("answer", "asked", "error", "leads", "size", "woken")

    def __init__(self, asked: Asked, size: int) -> None:
        self.asked = asked
        self.size = size
        self.answer: Answer | None = None
        self.error: BaseException | None = None
        self.leads = False
        self.woken = threading.Lock()
        self.woken.acquire()


class Gathering(Generic[Asked, Answer]):
    """`answer` gets what is asked by several requests and gives as many answers, in the same order;
    one that is an exception is raised to whom it belongs. It runs in an application context of its
    own, outside of any request: nothing of whoever happens to answer (their session, who they are)
    is there for the others.
    """

    def __init__(
        self,
        app: Flask,
        answer: Callable[[Sequence[Asked]], Sequence[Answer | Exception]],
        size: Callable[[Asked], int],
        most: int,
    ) -> None:
        self._app = app
        self._answer = answer
        self._size = size
        self._most = most
        self._lock = threading.Lock()
        self._waiting: deque[_One[Asked, Answer]] = deque()
        self._is_led = False

    def ask(self, asked: Asked) -> Answer:
        """The answer. Raises what `answer` raises, NotAnsweredError."""
        # Whose it is asks for the size: whoever leads runs nothing of others' that could keep it
        # from passing that on.
        one: _One[Asked, Answer] = _One(asked, self._size(asked))
        with self._lock:
            self._waiting.append(one)
            one.leads = not self._is_led
            self._is_led = True
        if not one.leads:
            # Who holds a connection keeps the turn too: there are as many connections as turns.
            with nullcontext() if db.session().in_transaction() else slot_released():
                self._wait(one)
        if one.leads:
            self._lead()
        if one.error is not None:
            raise one.error
        return one.answer  # type: ignore[return-value]

    def _wait(self, one: _One[Asked, Answer]) -> None:
        if one.woken.acquire(timeout=LONGEST_SECONDS):
            return
        with self._lock:
            if one in self._waiting and not one.leads:
                self._waiting.remove(one)
        if not one.leads:
            raise NotAnsweredError

    def _lead(self) -> None:
        """Answers what waits, whoever leads first of all; then the next one leads."""
        batch: list[_One[Asked, Answer]] = []
        size = 0
        with self._lock:
            while self._waiting and (not batch or size + self._waiting[0].size <= self._most):
                batch.append(self._waiting.popleft())
                size += batch[-1].size
        try:
            answers = Context().run(self._answers, [one.asked for one in batch])
            for one, found in zip(batch, answers, strict=True):
                if isinstance(found, Exception):
                    one.error = found
                else:
                    one.answer = found
        except BaseException as error:  # noqa: BLE001 (raised by each who asked)
            for one in batch:
                one.error = error
        finally:
            for one in batch[1:]:
                one.woken.release()
            with self._lock:
                following = self._waiting[0] if self._waiting else None
                self._is_led = following is not None
                if following is not None:
                    following.leads = True
                    following.woken.release()

    def _answers(self, asked: Sequence[Asked]) -> Sequence[Answer | Exception]:
        with self._app.app_context():
            return self._answer(asked)


def gathered(
    answer: Callable[[Sequence[Asked]], Sequence[Answer | Exception]],
    *,
    size: Callable[[Asked], int] = lambda _: 1,
    most: int = MOST,
) -> Callable[[Asked], Answer]:
    """A function of one question, which is answered with those that others of this process ask at
    the time.

    `answer`, `most` (of the sum of `size`) as of Gathering, of which each application has one.
    """
    making = threading.Lock()

    def ask(asked: Asked) -> Answer:
        made: dict[Any, Gathering[Asked, Answer]] = current_app.extensions.setdefault(
            "gatherings", {}
        )
        if answer not in made:
            with making:
                if answer not in made:
                    app = current_app._get_current_object()  # type: ignore[attr-defined]
                    made[answer] = Gathering(app, answer, size, most)
        return made[answer].ask(asked)

    return update_wrapper(ask, answer, assigned=("__doc__",), updated=())
