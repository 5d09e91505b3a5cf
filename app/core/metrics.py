"""Durations and outcomes, counted in PostgreSQL for the service level objectives (app/ops/slo.py).

A process adds up and writes every few seconds, so an observation costs next to nothing. Counts that
were not written are lost with the process, and kept while PostgreSQL is unavailable. They are kept
per five minutes for a day, and per day for a month. Called wherever an objective is met or missed;
it never raises.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime

import psycopg
import structlog
from flask import Flask, current_app, has_app_context

from app.core.errors import one_line
from app.core.postgres.connections import connect
from app.core.postgres.timeouts import Database

log = structlog.get_logger(__name__)

# What is measured.
SCORE_API, READ, REDIS_READ = "score_api", "read", "redis_read"
CONSUMER_LAG, WRITE_BEHIND, QUARANTINE = "consumer_lag", "write_behind", "quarantine"
FEED_HUB, WEBHOOKS = "feed_hub", "webhooks"
JOBS = "jobs_{}"  # by queue
# Seconds; the last bucket is everything above. Every objective is one of them, so the share that
# meets it is exact.
BUCKETS = (
    0.001,
    0.002,
    0.005,
    0.01,
    0.02,
    0.04,
    0.1,
    0.25,
    1.0,
    2.5,
    5.0,
    15.0,
    60.0,
    300.0,
    3600.0,
)
FLUSH_SECONDS = 5.0
BIN_SECONDS = 300
BIN_KEPT, DAY_KEPT = 26 * 3600, 33 * 24 * 3600
RETRY_SECONDS = 15.0  # PostgreSQL is away: no request waits for it more often
BIN, DAY, TOTAL = "bin", "day", "total"  # spans; the total is never taken away

# In the order of the key, so that two processes never wait for each other.
_ADD = """
    INSERT INTO measure_counts AS held (span, at, field, count)
    SELECT s.span, s.at, f.field, f.count
    FROM unnest(%(fields)s::text[], %(counts)s::bigint[]) AS f (field, count)
    CROSS JOIN (VALUES ('bin', %(bin)s::timestamptz), ('day', %(day)s::timestamptz), ('total',
      'epoch'::timestamptz))
      AS s (span, at)
    ORDER BY s.span, s.at, f.field
    ON CONFLICT (span, at, field) DO UPDATE SET count = held.count + excluded.count
"""


class Measures:
    """What this process has counted and not written yet."""

    def __init__(self, where: Callable[[], Database | None]) -> None:
        self._where = where
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._write_at = time.monotonic() + FLUSH_SECONDS

    def add(self, field: str, count: int = 1) -> None:
        """Count, and write if it is time."""
        with self._lock:
            self._counts[field] += count
            if time.monotonic() < self._write_at:
                return
        self.flush()

    def flush(self) -> None:
        """Write the counts now."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
            self._write_at = time.monotonic() + FLUSH_SECONDS
        if not counts:
            return
        database = self._where()
        try:
            if database is None:
                raise psycopg.OperationalError("no application yet")
            _write(database, counts)
        except psycopg.Error as error:
            log.warning("measures_wait", counts=counts.total(), reason=one_line(error))
            with self._lock:
                self._counts.update(counts)
                self._write_at = time.monotonic() + RETRY_SECONDS


def _write(database: Database, counts: Counter[str]) -> None:
    """Write on a separate connection: the caller may be inside a transaction, or have none."""
    now = time.time()
    values = {
        "fields": list(counts),
        "counts": list(counts.values()),
        "bin": bin_of(now),
        "day": day_of(now),
    }
    with connect(database) as connection:
        connection.execute("SET LOCAL synchronous_commit = off")
        connection.execute(_ADD, values)


_database: Database | None = None  # of the application that this process made last


def _where() -> Database | None:
    """None if there is no application with PostgreSQL yet; the counts wait."""
    return current_app.extensions.get("measures") if has_app_context() else _database


_measures = Measures(_where)


def observe(name: str, seconds: float, count: int = 1) -> None:
    """Count `count` things that took so many seconds."""
    _measures.add(f"{name}:{bisect_left(BUCKETS, seconds)}", count)


def count(name: str, *, good: bool) -> None:
    """Count one good or bad outcome."""
    _measures.add(f"{name}:{'good' if good else 'bad'}")


def flush() -> None:
    """Write what this process has counted so far."""
    _measures.flush()


def init_app(app: Flask, database: Database) -> None:
    """Write counts to `database`, also those of threads without an application context."""
    global _database
    app.extensions["measures"] = _database = database


def bin_of(at: float) -> datetime:
    """The start of the five minutes that contain this Unix time."""
    return datetime.fromtimestamp(int(at) // BIN_SECONDS * BIN_SECONDS, UTC)


def day_of(at: float) -> datetime:
    """The start of the UTC day that contains this Unix time."""
    return datetime.fromtimestamp(at, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
