"""Log deduplication: the first of repeated lines is written, the others are counted.

The count is written once a minute. The format of a line is in configuration.py.

structlog and the standard library have no such filter: structlog can drop an event and logging can
filter a record, but neither counts what was dropped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

SECONDS = 60.0
MOST = 1000  # different lines that are counted at once; the oldest makes room


@dataclass
class _Seen:
    until: float
    count: int = 0


class Repeats:
    """Counts repeated keys. `take` says whether to write a line, `due` returns counts to write."""

    def __init__(
        self, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.seconds = seconds
        self.clock = clock
        self._seen: dict[Hashable, _Seen] = {}
        self._pushed_out: list[tuple[Hashable, int]] = []
        self._lock = threading.Lock()

    def take(self, key: Hashable) -> bool:
        """Return True for the first line of this key within `seconds`; the others are counted."""
        with self._lock:
            entry = self._seen.get(key)
            if entry is not None:
                entry.count += 1
                return False
            if len(self._seen) >= MOST:
                oldest = next(iter(self._seen))
                self._pushed_out.append((oldest, self._seen.pop(oldest).count))
            self._seen[key] = _Seen(self.clock() + self.seconds)
            return True

    def due(self, *, all_of_them: bool = False) -> list[tuple[Hashable, int]]:
        """Return the repeated keys whose time is over (or all of them), with their counts.

        The next line of such a key is written again.
        """
        with self._lock:
            now = self.clock()
            ended = [key for key, entry in self._seen.items() if all_of_them or entry.until <= now]
            counts = self._pushed_out + [(key, self._seen.pop(key).count) for key in ended]
            self._pushed_out = []
        return [(key, count) for key, count in counts if count]
