"""Call coalescing: concurrent callers with the same key share one call, and their wait is limited.

A page must not hold a thread of the web server because Kafka does not answer. So each call runs in
its own thread. Callers that ask for the same key meanwhile wait for the same result, and a caller
whose patience runs out goes on without it. Used by pages and metrics.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

Answer = TypeVar("Answer")

FORGET_SECONDS = 60.0  # older results are deleted


class AnswerTimeoutError(OSError):
    """The store did not answer in time, or too many other calls to it are pending."""


@dataclass
class _Question:
    """A call. `ended` is the monotonic time at which it ended, or None while it runs."""

    answer: Future[Any] = field(default_factory=Future)
    ended: float | None = None


class Asking:
    """Runs at most `at_once` different calls at a time."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._lock = threading.Lock()
        self._questions: dict[Hashable, _Question] = {}

    def ask(
        self, key: Hashable, look: Callable[[], Answer], *, patience: float, shared: float = 0.0
    ) -> Answer:
        """Return the result of `look`, or of a recent call with the same `key`.

        `look` runs in another thread, without an application context.

        Args:
            key: Calls with the same key share their result.
            look: The call.
            patience: Seconds to wait. The call goes on afterwards, for the next caller.
            shared: Seconds for which a result, or an error, is reused.

        Raises:
            AnswerTimeoutError: No result after `patience` seconds, or too many calls run.
            Exception: Whatever `look` raises.
        """
        question = self._question(key, look, shared)
        try:
            answer: Answer = question.answer.result(patience)
        except TimeoutError as error:
            if question.answer.done():
                raise  # raised by `look` itself
            raise AnswerTimeoutError(f"No answer within {patience:g} s.") from error
        return answer

    def _question(self, key: Hashable, look: Callable[[], Any], shared: float) -> _Question:
        with self._lock:
            now = time.monotonic()
            question = self._questions.get(key)
            if question is not None and (question.ended is None or now - question.ended < shared):
                return question
            asked = {
                asked_key: question
                for asked_key, question in self._questions.items()
                if question.ended is None
            }
            if len(asked) >= self._at_once:
                raise AnswerTimeoutError(f"{self._at_once} other calls are still pending.")
            new_question = _Question()
            remembered = {
                remembered_key: question
                for remembered_key, question in self._questions.items()
                if now - (question.ended or now) < FORGET_SECONDS
            }
            self._questions = remembered | {key: new_question}
        threading.Thread(target=self._run, args=(new_question, look), daemon=True).start()
        return new_question

    def _run(self, question: _Question, look: Callable[[], Any]) -> None:
        try:
            answer = look()
        except Exception as error:  # noqa: BLE001 - raised in the waiting callers
            question.ended = time.monotonic()
            question.answer.set_exception(error)
        else:
            question.ended = time.monotonic()
            question.answer.set_result(answer)
