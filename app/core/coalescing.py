"""Questions to a store that may be slow: each is asked once for all who want its answer, and nobody
waits for long.

A page must not hold a thread of the web server because Kafka does not answer. So the question is
asked in a thread of its own; who asks the same meanwhile waits for the same answer, and who has
waited long enough goes without it. Called by pages and metrics. Not here: the questions.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

Answer = TypeVar("Answer")


class AnswerTimeoutError(OSError):
    """The store has not answered in time, or too many other questions to it wait for their
    answers."""


@dataclass
class _Question:
    """`ended`: when its answer came, of the steady clock; None while it is asked."""

    answer: Future[Any] = field(default_factory=Future)
    ended: float | None = None


class Asking:
    """Asks at most `at_once` different questions at a time."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._lock = threading.Lock()
        self._questions: dict[Hashable, _Question] = {}

    def ask(
        self, key: Hashable, look: Callable[[], Answer], *, patience: float, shared: float = 0.0
    ) -> Answer:
        """What `look` finds, or has found for the same `key` at most `shared` seconds ago.

        `look` runs in another thread, without an application context. Raises what it raises, also
        for as long as it would be shared, and AnswerTimeoutError after `patience` seconds; the
        question goes on then, for who asks next.
        """
        question = self._question(key, look, shared)
        try:
            answer: Answer = question.answer.result(patience)
        except TimeoutError as error:
            if question.answer.done():
                raise  # the look's own
            raise AnswerTimeoutError(f"No answer within {patience:g} s.") from error
        return answer

    def _question(self, key: Hashable, look: Callable[[], Any], shared: float) -> _Question:
        with self._lock:
            now = time.monotonic()
            found = self._questions.get(key)
            if found is not None and (found.ended is None or now - found.ended < shared):
                return found
            asked = {
                one: question for one, question in self._questions.items() if question.ended is None
            }
            if len(asked) >= self._at_once:
                raise AnswerTimeoutError(f"{self._at_once} other questions wait for their answers.")
            made = _Question()
            kept = {
                one: question
                for one, question in self._questions.items()
                if now - (question.ended or now) < 60
            }
            self._questions = kept | {key: made}
        threading.Thread(target=self._run, args=(made, look), daemon=True).start()
        return made

    def _run(self, question: _Question, look: Callable[[], Any]) -> None:
        try:
            found = look()
        except Exception as error:  # noqa: BLE001 - raised where the answer is waited for
            question.ended = time.monotonic()
            question.answer.set_exception(error)
        else:
            question.ended = time.monotonic()
            question.answer.set_result(found)
