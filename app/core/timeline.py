"""Which history the database is of: a restore begins a new one, and what other stores derived from the old one is void.

Versions go back with a restore, and "the newer version wins" would keep what the database no longer has. So whoever
writes a version to another store stamps it: a stamp of a later timeline is greater than every one of an earlier one.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import current_app
from sqlalchemy import text

from app.core.db import db

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
VERSIONS = 1 << 28  # of one timeline; a stamp stays below 2^53, up to which a double counts in ones

TABLE = (
    "CREATE TABLE IF NOT EXISTS timeline (epoch bigint NOT NULL, CONSTRAINT pk_timeline PRIMARY KEY (epoch),"
    " CONSTRAINT ck_timeline_epoch CHECK (epoch > 0))"
)


def epoch() -> int:
    """The number of the timeline, 0 for a database that was never restored. Read once per process.

    Nobody is at work on the database while it is restored, so no process sees it change.
    """
    known: int | None = current_app.extensions.get("timeline")
    if known is None:
        with db.engine.connect() as connection:
            known = int(connection.scalar(text("SELECT coalesce(max(epoch), 0) FROM timeline")) or 0)
        current_app.extensions["timeline"] = known
    return known


def stamp(version: int) -> int:
    """The version as other stores have it."""
    return epoch() * VERSIONS + version


def begin(connection: Any, now: datetime) -> int:
    """Begins a new timeline through this psycopg connection; returns its number.

    By the clock, in minutes: a backup does not know what was restored after it was made.
    """
    connection.execute(TABLE)
    before = connection.execute("SELECT coalesce(max(epoch), 0) FROM timeline").fetchone()[0]
    number = max(int(before) + 1, int((now - BEGAN).total_seconds() // 60))
    connection.execute("DELETE FROM timeline")
    connection.execute("INSERT INTO timeline (epoch) VALUES (%s)", [number])
    return number
