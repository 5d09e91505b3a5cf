"""Reads that a replica of PostgreSQL may answer, for pages that state how old their data is.

The result of `may_be_old` is at most as old as it says, and never older than READ_AGE_SECONDS. The
primary answers if the replica is behind, unavailable, or cancels the query because of replication.
Access is decided beforehand on the primary, and no write depends on data that is read here.
Reading boards from Redis replicas is in core/redis/clients.py.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TypeVar

import structlog
from flask import Flask, current_app, g
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from app.core.db import REPLICA, db
from app.core.errors import one_line

T = TypeVar("T")

log = structlog.get_logger(__name__)

REST_SECONDS = 5.0  # after an error, the replica is not asked for this long

# The primary's current position in its log, and its clock.
_PRIMARY = text("SELECT pg_current_wal_lsn()::text, clock_timestamp()")
# The last replayed commit is older than every missing one, so its age is an upper bound.
_REPLICA = text("""
    SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn() >= CAST(:place AS pg_lsn),
      extract(epoch FROM CAST(:at AS timestamptz) - pg_last_xact_replay_timestamp())
""")


class ReplicaUnavailableError(Exception):
    """The replica must not be read now; the text says why."""


def may_be_old(read: Callable[[], T]) -> tuple[T, int]:
    """Return what `read` returns, and its maximum age in seconds; 0 means current.

    `read` may be called twice, and only reads through db.session. Raises SQLAlchemy's errors of
    the primary.
    """
    resting: dict[str, float] = current_app.extensions.get(REPLICA, {})
    if not resting or time.monotonic() < resting["until"]:
        return read(), 0
    position = _position()
    try:
        with _asking_the_replica():
            seconds = _behind(*position)
            if seconds <= current_app.config["PRESSBOX"].read_age_seconds:
                return read(), seconds
    except (OperationalError, PoolTimeoutError, ReplicaUnavailableError) as error:
        db.session.rollback()
        resting["until"] = time.monotonic() + REST_SECONDS
        log.warning("replica_not_read", reason=one_line(error))
    return read(), 0


def is_configured() -> bool:
    """Whether a replica is configured."""
    return REPLICA in current_app.extensions


def seconds_behind() -> int:
    """Return how far the replica may lag, in seconds.

    Raises ReplicaUnavailableError and SQLAlchemy's errors.
    """
    position = _position()
    with _asking_the_replica():
        return _behind(*position)


def _position() -> tuple[str, datetime]:
    place, at = db.session.execute(_PRIMARY).one()
    return place, at


def _behind(place: str, at: datetime) -> int:
    """Return the replica's lag behind this position and time of the primary, rounded up."""
    is_replica, is_level, seconds = db.session.execute(_REPLICA, {"place": place, "at": at}).one()
    if not is_replica:
        raise ReplicaUnavailableError(
            "DATABASE_READ_URL leads to no replica: a server that may be written to answers there"
        )
    if is_level:
        return 0
    if seconds is None:
        raise ReplicaUnavailableError("the replica has replayed nothing yet")
    return int(max(1, math.ceil(seconds)))


@contextmanager
def _asking_the_replica() -> Iterator[None]:
    setattr(g, REPLICA, True)
    try:
        yield
    finally:
        g.pop(REPLICA)


def init_app(app: Flask) -> None:
    """Read from the replica from now on. Called only if one is configured."""
    app.extensions[REPLICA] = {"until": 0.0}
