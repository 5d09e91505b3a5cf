"""The threads that answer requests, and how many of them work at once.

A request that waits for something else (another request's rendering, a score on its way through
Kafka) releases its slot meanwhile, so there are more threads than slots.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import structlog

log = structlog.get_logger(__name__)

Result = TypeVar("Result")

WAITING_THREADS = 64  # for requests that have released their slot
CROWD = 4  # a pool is crowded when this many requests per slot are waiting
LOG_SECONDS = 10.0  # between two lines about shed polls

Line = deque[threading.Event]


class Slots:
    """Lets at most `count` requests work at once. `waiting` is the number of others.

    A slot goes to the request that has waited longest: first among those that had one before,
    because others may wait for what they have begun. (A threading.Semaphore lets a request that
    comes just then go first, so that others could wait for a minute.)
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._free = count
        self._lock = threading.Lock()
        self._returning: Line = deque()
        self._new: Line = deque()
        self.waiting = 0

    @property
    def is_crowded(self) -> bool:
        """Whether so many requests are waiting that polls should be shed."""
        return self.waiting >= CROWD * self.count

    def enter_line(self) -> None:
        """Count a request as waiting. It acquires a slot once it has a thread."""
        with self._lock:
            self.waiting += 1

    def acquire(self) -> None:
        """Wait for a slot, after `enter_line`."""
        self._wait_in(self._new)

    def reacquire(self) -> None:
        """Wait for a slot after this request has released its own."""
        self.enter_line()
        self._wait_in(self._returning)

    def release(self) -> None:
        """Give the slot to the next request in line."""
        with self._lock:
            line = self._returning or self._new
            if line:
                line.popleft().set()
                self.waiting -= 1
            else:
                self._free += 1

    def _wait_in(self, line: Line) -> None:
        turn = threading.Event()
        with self._lock:
            if self._free:
                self._free -= 1
                self.waiting -= 1
                return
            line.append(turn)
        turn.wait()


class RequestPool:
    """Threads with their own slots. Each pool belongs to one event loop."""

    def __init__(self, name: str, slots: int) -> None:
        self.name = name
        self.slots = Slots(slots)
        self._threads = ThreadPoolExecutor(slots + WAITING_THREADS, thread_name_prefix=name)
        self._shed_polls = 0
        self._log_at = 0.0

    async def run(self, call: Callable[[], Result]) -> Result:
        """Run `call` in a thread of the pool once a slot is free, and return its result."""
        self.slots.enter_line()
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, call)

    def _run(self, call: Callable[[], Result]) -> Result:
        self.slots.acquire()
        try:
            return call()
        finally:
            self.slots.release()

    def count_shed_poll(self) -> None:
        """Count a poll that was shed. The count is logged from time to time."""
        self._shed_polls += 1
        if time.monotonic() >= self._log_at:
            log.warning("polls_shed", count=self._shed_polls)
            self._shed_polls, self._log_at = 0, time.monotonic() + LOG_SECONDS

    def close(self) -> None:
        """Take no more requests. Threads end with their current request."""
        self._threads.shutdown(wait=False)
