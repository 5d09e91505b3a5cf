"""The restore epoch: a number for the database's history. Each restore begins a new one.

A restore resets versions, ids and idempotency keys, but not Redis, files and browsers. So all data
that is derived from PostgreSQL and kept elsewhere belongs to an epoch: its key contains the number
(`key_of`), and data of the lost history is never found. If a contract fixes the name of the key,
the version is stamped instead (`stamp`): a stamp of a later epoch is greater than every stamp of an
earlier one. Records of what people and machines did, such as failed sign-ins, rate limits and
heartbeats, do not belong to an epoch. Why: decision 75.
"""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Flask, current_app, has_app_context

if TYPE_CHECKING:
    from sqlalchemy import Engine

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
VERSIONS = 1 << 28  # per epoch; stamps stay below 2^53, so doubles are exact

TABLE = (
    "CREATE TABLE IF NOT EXISTS timeline (epoch bigint NOT NULL, CONSTRAINT pk_timeline PRIMARY "
    "KEY (epoch),"
    " CONSTRAINT ck_timeline_epoch CHECK (epoch > 0))"
)
_KNOWN = "timeline"  # of app.extensions
_EPOCH = "SELECT coalesce(max(epoch), 0) FROM timeline"


def epoch() -> int:
    """Return the number of the epoch, 0 for a database that was never restored."""
    return epoch_of(current_app)


def epoch_of(app: Flask) -> int:
    """Like `epoch`, outside a context.

    Raises SQLAlchemy's errors if PostgreSQL is unavailable and was never asked.
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


def listen(app: Flask, engine: Engine) -> None:
    """Let each new connection of this engine tell `app` the epoch.

    No connection outlives a restore (ops/backup.py), so a connected process always knows the
    current epoch.
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
    """Return the Redis key or file name, in this epoch, of derived data called `name`."""
    number = epoch()
    return f"{name}@{number}" if number else name


def stamp(version: int) -> int:
    """Return the version as it is stored under a key whose name is fixed."""
    return epoch() * VERSIONS + version


def begin(connection: Any, now: datetime) -> int:
    """Begin a new epoch through this psycopg connection, and return its number.

    The number comes from the clock, in minutes, because a backup does not know about later
    restores.
    """
    connection.execute(TABLE)
    before = connection.execute("SELECT coalesce(max(epoch), 0) FROM timeline").fetchone()[0]
    number = max(int(before) + 1, int((now - BEGAN).total_seconds() // 60))
    connection.execute("DELETE FROM timeline")
    connection.execute("INSERT INTO timeline (epoch) VALUES (%s)", [number])
    return number
