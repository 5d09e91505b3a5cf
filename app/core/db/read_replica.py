"""Reads that a replica of PostgreSQL may answer: of pages on which a stated age is allowed.

Promise: what comes of `may_be_old` is at most as old as it says, never older than READ_AGE_SECONDS,
and the primary answers where the replica is behind, away, or cancels the query for what it is to
replay. Access is decided before, on the primary, and nothing that writes rests on what is read
here. Not here: boards on Redis's replicas (app/core/redis/clients.py).
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
from sqlalchemy.exc import OperationalError, TimeoutError

from app.core.db import REPLICA, db
from app.core.errors import one_line

T = TypeVar("T")

log = structlog.get_logger(__name__)

REST_SECONDS = 5.0  # in which one that was away, or no replica, is not asked again

# Where the primary is now in its log, by its own clock.
_PRIMARY = text("SELECT pg_current_wal_lsn()::text, clock_timestamp()")
# The last commit that was replayed is older than all that is missing.
_REPLICA = text("""
    SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn() >= CAST(:place AS pg_lsn),
      extract(epoch FROM CAST(:at AS timestamptz) - pg_last_xact_replay_timestamp())
""")


class ReplicaUnavailableError(Exception):
    """The server is not to be read from now; the text says why."""


def may_be_old(read: Callable[[], T]) -> tuple[T, int]:
    """What `read` gives, and how many seconds old it is at most; 0: as it is now.

    `read` may be called twice, and does nothing but read through db.session. Raises SQLAlchemy's
    errors of the primary.
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
    except (OperationalError, TimeoutError, ReplicaUnavailableError) as error:
        db.session.rollback()
        resting["until"] = time.monotonic() + REST_SECONDS
        log.warning("replica_not_read", reason=one_line(error))
    return read(), 0


def is_configured() -> bool:
    return REPLICA in current_app.extensions


def seconds_behind() -> int:
    """Seconds that the replica may lag. Raises ReplicaUnavailableError, SQLAlchemy's errors."""
    position = _position()
    with _asking_the_replica():
        return _behind(*position)


def _position() -> tuple[str, datetime]:
    place, at = db.session.execute(_PRIMARY).one()
    return place, at


def _behind(place: str, at: datetime) -> int:
    """Seconds, rounded up, by which the replica may lack something that the primary had at this
    place and time.
    """
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
    """Where a replica is configured: from now on it is asked."""
    app.extensions[REPLICA] = {"until": 0.0}
