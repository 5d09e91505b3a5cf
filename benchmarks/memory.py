"""Memory of every process of a running Pressbox, and its lag behind the broker, over time.

benchmarks/game_day.py runs this beside its crowd; processes.py measures an idle Pressbox once.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import psutil
from kafka.errors import KafkaError

from app.ops import lag
from app.settings import Settings
from app.stream.kafka import AnswerTimeoutError
from benchmarks.processes import MIB, belonging_to, name_of

EVERY_SECONDS = 3.0
FAMILY_LOOKS = 5  # samples between two searches for new processes
ROWS = 10


class Watch:
    """Takes a sample every EVERY_SECONDS in its own thread, from `start` until `stop`.

    `sizes` has, by process (name and pid), resident sizes in MiB with the seconds since the start.
    `lags` are messages that no group has taken yet, None if the broker did not answer.
    """

    def __init__(self, settings: Settings, var: Path) -> None:
        self.settings, self.var = settings, var
        self.sizes: dict[str, list[tuple[float, float]]] = {}
        self.lags: list[tuple[float, int | None]] = []
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        """Start sampling."""
        self._thread.start()

    def stop(self) -> None:
        """Return once the last sample is complete."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        began, looks = time.monotonic(), 0
        family: list[psutil.Process] = []
        while not self._stopping.wait(EVERY_SECONDS if looks else 0):
            if looks % FAMILY_LOOKS == 0:
                family = [
                    process
                    for process in belonging_to(psutil.Process(), self.var)
                    if process.pid != os.getpid()
                ]
            looks += 1
            for process in family:
                try:
                    name, size = (
                        f"{name_of(process)} ({process.pid})",
                        process.memory_info().rss / MIB,
                    )
                except psutil.NoSuchProcess:
                    continue
                self.sizes.setdefault(name, []).append((time.monotonic() - began, size))
            self.lags.append((time.monotonic() - began, self.behind()))

    def behind(self) -> int | None:
        """Return how many messages no group has taken yet; None if the broker does not answer."""
        try:
            return lag.behind(lag.lags(self.settings))
        except (KafkaError, AnswerTimeoutError):
            return None

    def show_lag(self) -> None:
        """Print the lag and the memory of all processes over time, in ROWS rows."""
        print("\n| after | messages behind | memory of all, MiB |\n|---|---|---|")
        for index in range(0, len(self.lags), max(1, len(self.lags) // ROWS)):
            moment, behind = self.lags[index]
            together = sum(
                size
                for sizes in self.sizes.values()
                for at, size in sizes
                if abs(at - moment) < EVERY_SECONDS / 2
            )
            print(
                f"| {moment:.0f} s | {'no answer' if behind is None else f'{behind:,}'} | "
                f"{together:,.0f} |"
            )

    def show_memory(self, settled: float, limit: float) -> None:
        """Print the memory of each kind of process.

        `settled` is the number of seconds after which a process should not grow any more.
        """
        print(
            f"\n| process | after {settled:.0f} s, MiB | at the end | at most (goal {limit:.0f}) | "
            "growth |"
        )
        print("|---|---|---|---|---|")
        names = Counter(name.rpartition(" (")[0] for name in self.sizes)
        for kind in sorted(names, key=lambda name: -self._largest(name)):
            of_kind = [
                sizes for name, sizes in self.sizes.items() if name.rpartition(" (")[0] == kind
            ]
            lasting = [
                sizes for sizes in of_kind if sizes[-1][0] > settled and sizes[0][0] <= settled
            ]
            largest = max(lasting or of_kind, key=lambda sizes: max(size for _, size in sizes))
            early, late = _early(largest, settled), _late(largest)
            title = kind if names[kind] == 1 else f"{kind}, the largest of {names[kind]}"
            print(
                f"| {title} | {early:.0f} | {late:.0f} | {self._largest(kind):.0f} | "
                f"{late - early:+.0f} |"
            )

    def _largest(self, kind: str) -> float:
        return max(
            size
            for name, sizes in self.sizes.items()
            if name.rpartition(" (")[0] == kind
            for _, size in sizes
        )


def _early(sizes: Sequence[tuple[float, float]], settled: float) -> float:
    """Return the median of three samples from then on."""
    return statistics.median([size for at, size in sizes if at >= settled][:3] or [sizes[-1][1]])


def _late(sizes: Sequence[tuple[float, float]]) -> float:
    return statistics.median(size for _, size in sizes[-3:])
