"""Whether somebody is looking at the site: the demo does less while nobody is."""

from __future__ import annotations

import contextlib
import threading
import time

import redis

from app.ops.usage import LAST_USED

PATIENCE_SECONDS = 120.0  # after the last request
LOOK_SECONDS = 2.0


class Audience:
    """Asks Redis at most every two seconds for the last request to the site. Thread-safe.

    The start of the process counts as a request.
    """

    def __init__(self, connection: redis.Redis) -> None:
        self._redis = connection
        self._lock = threading.Lock()
        self._last = time.time()
        self._next_look = 0.0

    def is_there(self) -> bool:
        """Whether the last request was less than PATIENCE_SECONDS ago."""
        with self._lock:
            if time.monotonic() >= self._next_look:
                self._next_look = time.monotonic() + LOOK_SECONDS
                with contextlib.suppress(redis.RedisError):  # keep the last known time
                    self._last = max(self._last, float(self._redis.get(LAST_USED) or 0))
            return time.time() - self._last < PATIENCE_SECONDS
