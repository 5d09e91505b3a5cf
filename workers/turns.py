"""How many requests a web process works on at once.

And polls, which are put off when more come than it can answer.

A page asks again by itself after a second or two, and shows meanwhile what it has; somebody who
saves a team, sends a score or opens a page waits for the answer. So in a crowd polls stand in
nobody's way: they are told at once that nothing has changed for them, until the line is short
again. Not here: threads and connections (web.py).
"""

from __future__ import annotations

import threading
import time

import structlog

log = structlog.get_logger(__name__)

CROWD = 2  # times as many as there are turns stand in line
SAY_SECONDS = 10.0  # between two lines of the log


class Turns:
    """So many at once; others wait in line."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._free = threading.Semaphore(count)
        self._lock = threading.Lock()
        self._waiting = 0
        self._put_off = 0
        self._say_at = 0.0

    def acquire(self) -> None:
        with self._lock:
            self._waiting += 1
        try:
            self._free.acquire()
        finally:
            with self._lock:
                self._waiting -= 1

    def release(self) -> None:
        self._free.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def is_crowded(self, without_a_thread: int) -> bool:
        """`without_a_thread`: how many more stand in line before they are even begun."""
        return self._waiting + without_a_thread >= CROWD * self.count

    def put_off(self) -> None:
        """Counts a poll that was put off; the log says how many, now and then."""
        with self._lock:
            self._put_off += 1
            if time.monotonic() < self._say_at:
                return
            count, self._put_off, self._say_at = self._put_off, 0, time.monotonic() + SAY_SECONDS
        log.warning("polls_put_off", count=count)
