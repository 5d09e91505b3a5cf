"""Which history the database is of: a restore begins a new one, and what other stores derived from
the old one is void.

Versions, ids and idempotency keys go back with a restore, while Redis, files and browsers live on.
So whatever is derived from PostgreSQL and kept elsewhere belongs to a timeline: its key has the
number in it (`key_of`), so that nobody finds what the lost history left. Only where a contract
gives the key its name, the version is stamped instead (`stamp`): a stamp of a later timeline is
greater than every one of an earlier one. Not of a timeline: what people and machines did, such as
failed sign-ins, rate limits and heartbeats. Why: decision 75.
"""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Flask, current_app, has_app_context

if TYPE_CHECKING:
    from sqlalchemy import Engine

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
VERSIONS = 1 << 28  # of one timeline; a stamp stays below 2^53, up to which a double counts in ones

TABLE = (
    "CREATE TABLE IF NOT EXISTS timeline (epoch bigint NOT NULL, CONSTRAINT pk_timeline PRIMARY "
    "KEY (epoch),"
    " CONSTRAINT ck_timeline_epoch CHECK (epoch > 0))"
)
_KNOWN = "timeline"  # of app.extensions
_EPOCH = "SELECT coalesce(max(epoch), 0) FROM timeline"


def epoch() -> int:
    """The number of the timeline, 0 for a database that was never restored."""
    return epoch_of(current_app)


def epoch_of(app: Flask) -> int:
    """As epoch, outside a context.

    Raises SQLAlchemy's errors where PostgreSQL is away and was never asked.
    """
    known: int | None = app.extensions.get(_KNOWN)
    if known is None:
        from app.core.db import db

        with (
            nullcontext() if has_app_context() else app.app_context(),
            db.engine.connect() as connection,
        ):
            known = app.extensions[_KNOWN] = int(connection.exec_driver_sql(_EPOCH).scalar_one())
    return known


def known_epoch_of(app: Flask) -> int | None:
    """As epoch_of, but None instead of asking PostgreSQL."""
    known: int | None = app.extensions.get(_KNOWN)
    return known


def listen(app: Flask, engine: Engine) -> None:
    """Each connection that this engine opens tells `app` the timeline.

    No connection outlives a restore (ops/backup.py), so whoever is connected knows it, however long
    the process lives.
    """
    from psycopg.errors import UndefinedTable
    from sqlalchemy import event

    @event.listens_for(engine, "connect")
    def note(connection: Any, _record: Any) -> None:
        try:
            app.extensions[_KNOWN] = int(connection.execute(_EPOCH).fetchone()[0])
        # the schema is older, and is brought up to date by `pressbox migrate`
        except UndefinedTable:
            app.extensions[_KNOWN] = 0
        finally:
            connection.rollback()


def key_of(name: str) -> str:
    """The key in Redis, or the name of a file, of something derived that is known as `name`."""
    number = epoch()
    return f"{name}@{number}" if number else name


def stamp(version: int) -> int:
    """The version as it stands in a store under a key whose name is given."""
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
