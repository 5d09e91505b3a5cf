"""How long things take and how they end, counted in Redis for the service level objectives (app/ops/slo.py).

A process adds up and writes every few seconds, so an observation costs next to nothing. What was not written yet is
lost with the process. Kept by five minutes for a day, and by day for a month. Called wherever an objective is met or
missed; it never raises.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections import Counter
from datetime import UTC, datetime

import redis
import structlog

from app.core.redis import jobs_redis

log = structlog.get_logger(__name__)

# What is measured.
SCORE_API, READ, REDIS_READ = "score_api", "read", "redis_read"
CONSUMER_LAG, WRITE_BEHIND, QUARANTINE = "consumer_lag", "write_behind", "quarantine"
FEED_HUB, WEBHOOKS = "feed_hub", "webhooks"
# Seconds; the last bucket is everything above. Every objective is one of them, so the share that meets it is exact.
BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.04, 0.1, 0.25, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 3600.0)
FLUSH_SECONDS = 5.0
BIN_SECONDS = 300
BIN_KEPT, DAY_KEPT = 26 * 3600, 33 * 24 * 3600
TOTAL = "pressbox:measures:total"  # since Redis remembers


class Measures:
    """What this process has counted and not written yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._flushed = time.monotonic()

    def add(self, field: str, count: int = 1) -> None:
        with self._lock:
            self._counts[field] += count
            if time.monotonic() - self._flushed < FLUSH_SECONDS:
                return
            counts, self._counts = self._counts, Counter()
            self._flushed = time.monotonic()
        self._write(counts)

    def flush(self) -> None:
        """Writes at once what was counted."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
            self._flushed = time.monotonic()
        self._write(counts)

    def _write(self, counts: Counter[str]) -> None:
        if not counts:
            return
        now = time.time()
        try:
            pipeline = jobs_redis().pipeline(transaction=False)
            for key, seconds in ((bin_key(now), BIN_KEPT), (day_key(now), DAY_KEPT), (TOTAL, 0)):
                for field, count in counts.items():
                    pipeline.hincrby(key, field, count)
                if seconds:
                    pipeline.expire(key, seconds)
            pipeline.execute()
        except redis.RedisError as error:
            log.warning("measures_lost", counts=counts.total(), reason=type(error).__name__)


_measures = Measures()


def observe(name: str, seconds: float, count: int = 1) -> None:
    """So many things took so long."""
    _measures.add(f"{name}:{bisect_left(BUCKETS, seconds)}", count)


def count(name: str, *, good: bool) -> None:
    """One thing went well, or did not."""
    _measures.add(f"{name}:{'good' if good else 'bad'}")


def total(name: str, *, good: bool) -> int:
    """What `count` has counted since Redis remembers. Raises redis.RedisError."""
    return int(jobs_redis().hget(TOTAL, f"{name}:{'good' if good else 'bad'}") or 0)


def flush() -> None:
    """Writes what this process has counted so far."""
    _measures.flush()


def bin_key(at: float) -> str:
    """The hash of the five minutes of that second since 1970."""
    return f"pressbox:measures:bin:{int(at) // BIN_SECONDS * BIN_SECONDS}"


def day_key(at: float) -> str:
    """The hash of that second's UTC day."""
    return f"pressbox:measures:day:{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
