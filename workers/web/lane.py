"""A thread that works on many requests: each runs in a greenlet until it waits or ends.

Submitted scores are answered in batches (app/core/request_batching.py), so each of them waits
several times. Passing a request on between threads costs more than the work on it; passing it on
between greenlets of one thread costs next to nothing
(docs/decisions/0093-one-thread-answers-scores.md).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from greenlet import getcurrent, greenlet

from app.core.serving import LANE
from workers.web.wsgi import WsgiApp, WsgiResponse, call

Result = TypeVar("Result")

BATCHES = 8  # at once
ANSWERS = 32  # are sent together at most, while more requests are ready
CALL_SECONDS = 60.0  # longer than the timeouts of all stores

Begin = Callable[[], None]
Answered = tuple["asyncio.Future[WsgiResponse]", WsgiResponse | BaseException]


class RequestLane:
    """Answers requests in one thread. Belongs to one event loop."""

    def __init__(self, name: str) -> None:
        self.name = name
        # new requests, and those that may continue; None: the lane is closed
        self._ready: SimpleQueue[Begin | greenlet | None] = SimpleQueue()
        self._aside = ThreadPoolExecutor(BATCHES, thread_name_prefix=f"{name}-batch")
        self._ends: dict[greenlet, float] = {}  # of waiting requests: their deadlines
        self._answered: list[Answered] = []
        self._hub: greenlet | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def arrivals(self) -> int:
        """How many requests are ready and have not had their turn."""
        return self._ready.qsize()

    async def run(self, application: WsgiApp, environ: dict[str, Any]) -> WsgiResponse:
        """Call the application in the lane and return its response."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            threading.Thread(target=self._work, name=self.name, daemon=True).start()
        environ[LANE] = self
        answer = self._loop.create_future()
        self._ready.put(partial(self._answer, application, environ, answer))
        response: WsgiResponse = await answer
        return response

    def wait(self, future: Future[None], seconds: float) -> None:
        """Continue with other requests until the future is done, or for so many seconds."""
        waiting = getcurrent()
        end = time.monotonic() + seconds
        future.add_done_callback(lambda _: self._ready.put(waiting))
        while not future.done() and time.monotonic() < end:
            self._ends[waiting] = end
            self._switch_to_hub()

    def let_others(self) -> None:
        """Continue after the requests that are ready now."""
        waiting = getcurrent()
        self._ends[waiting] = time.monotonic() + CALL_SECONDS
        self._ready.put(waiting)
        self._switch_to_hub()

    def call_aside(self, call: Callable[[], Result]) -> Result:
        """Call in another thread, and continue with other requests meanwhile.

        Raises:
            TimeoutError: It took CALL_SECONDS.
        """
        called = self._aside.submit(call)
        done: Future[None] = Future()
        called.add_done_callback(lambda _: done.set_result(None))
        self.wait(done, CALL_SECONDS)
        return called.result(timeout=0)

    def close(self) -> None:
        """Take no more requests. The thread ends after those that have arrived."""
        self._ready.put(None)
        self._aside.shutdown(wait=False)

    def _work(self) -> None:
        self._hub = getcurrent()
        while True:
            try:
                ready = self._next()
            except Empty:
                continue
            if ready is None:
                return
            if not isinstance(ready, greenlet):
                greenlet(ready).switch()
            elif self._ends.pop(ready, None) is not None:
                ready.switch()

    def _next(self) -> Begin | greenlet | None:
        """Return a ready request, or the one whose deadline has passed.

        Raises:
            Empty: Nobody was ready so far.
        """
        if self._ready.empty() or len(self._answered) >= ANSWERS:
            self._send_answers()
        if not self._ends:
            return self._ready.get()
        first = min(self._ends, key=self._ends.__getitem__)
        patience = self._ends[first] - time.monotonic()
        return self._ready.get(timeout=patience) if patience > 0 else first

    def _switch_to_hub(self) -> None:
        assert self._hub is not None
        self._hub.switch()

    def _answer(
        self,
        application: WsgiApp,
        environ: dict[str, Any],
        answer: asyncio.Future[WsgiResponse],
    ) -> None:
        result: WsgiResponse | BaseException
        try:
            result = call(application, environ)
        except BaseException as error:  # noqa: BLE001 (raised to the request)
            result = error
        self._answered.append((answer, result))

    def _send_answers(self) -> None:
        if self._answered and self._loop is not None:
            self._loop.call_soon_threadsafe(_set_results, self._answered)
            self._answered = []


def _set_results(answered: list[Answered]) -> None:
    for answer, result in answered:
        if answer.done():  # the server is stopping
            continue
        if isinstance(result, BaseException):
            answer.set_exception(result)
        else:
            answer.set_result(result)
