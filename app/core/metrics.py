"""Durations and outcomes, counted in PostgreSQL for the service level objectives (app/ops/slo.py).

A process adds up its counts and writes them every few seconds, so an observation costs next to
nothing. Unwritten counts are lost if the process dies, but not while PostgreSQL is unavailable.
Written counts are kept per five minutes for a day, and per day for a month. The functions never
raise, so they can be called wherever an objective is met or missed.
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

# The names of the measures.
SCORE_API, READ, REDIS_READ = "score_api", "read", "redis_read"
SCORE_ACCEPTED, REDIS_UPDATE, REPLICA_LAG = "score_accepted", "redis_update", "replica_lag"
CONSUMER_LAG, WRITE_BEHIND, QUARANTINE = "consumer_lag", "write_behind", "quarantine"
FEED_HUB, WEBHOOKS = "feed_hub", "webhooks"
JOBS = "jobs_{}"  # by queue
# Upper bounds in seconds; the last bucket holds everything above. Every objective equals one of
# them, so the share of observations that meet it is exact. A bucket is stored under its bound, so
# adding one changes no count that is stored.
BUCKETS = (
    0.001,
    0.002,
    0.005,
    0.01,
    0.02,
    0.04,
    0.05,
    0.1,
    0.2,
    0.25,
    1.0,
    2.5,
    5.0,
    15.0,
    60.0,
    300.0,
    3600.0,
    float("inf"),
)
FLUSH_SECONDS = 15.0
BIN_SECONDS = 300
BIN_KEPT, DAY_KEPT = 26 * 3600, 33 * 24 * 3600
RETRY_SECONDS = 15.0  # after an error: requests do not wait for PostgreSQL more often
BIN, DAY, TOTAL = "bin", "day", "total"  # spans; the total is never deleted

# In the order of the key, so that two processes cannot deadlock.
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
    """Write on a separate connection, because the caller may be inside a transaction."""
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


_database: Database | None = None  # of the last application that this process created


def _where() -> Database | None:
    """Return the database to write to; None, so that the counts wait, if there is none yet."""
    return current_app.extensions.get("measures") if has_app_context() else _database


_measures = Measures(_where)


def observe(name: str, seconds: float, count: int = 1) -> None:
    """Count `count` events that took `seconds` each."""
    _measures.add(bucket_field(name, BUCKETS[bisect_left(BUCKETS, seconds)]), count)


def bucket_field(name: str, bound: float) -> str:
    """Return the field that counts a measure's observations in the bucket with this upper bound.

    >>> bucket_field(READ, 0.04), bucket_field(READ, BUCKETS[-1])
    ('read:0.04', 'read:inf')
    """
    return f"{name}:{bound}"


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
