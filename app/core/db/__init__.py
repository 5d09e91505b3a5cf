"""The database session, its pool, transactions, and the base class of all tables.

Connections are opened by app/core/postgres; tables are in each subject's models.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from typing import Annotated, Any

from flask import current_app, g
from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session
from psycopg.errors import LockNotAvailable, ReadOnlySqlTransaction
from sqlalchemy import BigInteger, Connection, DateTime, Engine, Identity, MetaData, event, func
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import DeclarativeBase, mapped_column, registry

from app.core.errors import UserError
from app.core.postgres.advisory_locks import Lock
from app.core.postgres.connections import connect, connect_arguments, limits_of_transaction
from app.core.postgres.timeouts import Database, Use

# Every constraint gets a name, so that errors can quote it and migrations can drop it.
_metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Base(DeclarativeBase):
    # Given as a registry: Flask-SQLAlchemy copies the class, and SQLAlchemy 2.1 refuses a copied
    # annotation map.
    """The base class of all tables."""

    registry = registry(
        metadata=_metadata,
        type_annotation_map={datetime: DateTime(timezone=True), dict[str, Any]: JSONB},
    )


REPLICA = "replica"  # the bind of the server that read_replica.py reads from


class RoutedSession(Session):
    """Reads from the replica inside read_replica.py's blocks, and from the primary otherwise."""

    def get_bind(self, *args: Any, **named: Any) -> Any:
        """The replica's engine inside a block of read_replica.py, else the usual one."""
        return db.engines[REPLICA] if g.get(REPLICA) else super().get_bind(*args, **named)


db = SQLAlchemy(
    model_class=Base, session_options={"expire_on_commit": False, "class_": RoutedSession}
)

BigId = Annotated[int, mapped_column(BigInteger, Identity(), primary_key=True)]
CreatedAt = Annotated[datetime, mapped_column(server_default=func.now())]

POOL_SECONDS = 10  # the longest wait for a free connection of the pool
SPARE_CONNECTIONS = 4
# Then PostgreSQL closes a connection of the pool, which is a process there.
IDLE_SESSION, IDLE_SESSION_WEB = "10s", "60s"
BUSY_SECONDS = 3  # the server may need a moment to notice that a killed run is gone


def engine_options(database: Database, threads: int) -> dict[str, Any]:
    """Return the pool options of a process: one connection per thread and a few spare ones.

    The last used connection is used first, so that PostgreSQL can close those that rest.
    """
    idle_session = IDLE_SESSION_WEB if database.use is Use.WEB else IDLE_SESSION
    return {
        "hide_parameters": True,  # keep user input and password hashes out of logs
        "pool_pre_ping": True,
        "pool_size": threads,
        "max_overflow": SPARE_CONNECTIONS,
        "pool_timeout": POOL_SECONDS,
        "pool_use_lifo": True,
        "connect_args": connect_arguments(database, idle_session_timeout=idle_session),
    }


def limit_each_transaction(engine: Engine, database: Database) -> None:
    """Behind a pooler, set the timeouts for each transaction instead of once per connection."""
    if not database.is_pooled:
        return
    statement = limits_of_transaction(database)

    @event.listens_for(engine, "begin")
    def limit(connection: Connection) -> None:
        connection.exec_driver_sql(statement)


def take_read_only_as_away(engine: Engine) -> None:
    """Raise OperationalError, as for a server that is away, where PostgreSQL takes no writes."""

    @event.listens_for(engine, "handle_error")
    def away(context: ExceptionContext) -> None:
        error = context.original_exception
        if isinstance(error, ReadOnlySqlTransaction):
            raise OperationalError(context.statement, None, error, hide_parameters=True) from error


def holds_connection() -> bool:
    """Whether the session has begun a transaction, and so holds a connection of the pool."""
    return db.session.registry.has() and db.session().in_transaction()


@contextmanager
def transaction() -> Iterator[None]:
    """Commit at the end; roll back if anything fails."""
    try:
        yield
        db.session.commit()
    except BaseException:
        db.session.rollback()
        raise


@contextmanager
def only_run(lock: Lock, busy: UserError, number: int = 0) -> Iterator[None]:
    """Let one process at a time into this block, or one for each `number`.

    The lock belongs to the session of a separate connection, so it is released if the process is
    killed.

    Raises:
        UserError: `busy`, if the other process does not leave within BUSY_SECONDS.
        psycopg.OperationalError: PostgreSQL is unavailable.
    """
    database = current_app.config["PRESSBOX"].direct_database(Use.UPKEEP)
    with closing(connect(database, autocommit=True)) as connection:
        connection.execute(f"SET lock_timeout = '{BUSY_SECONDS}s'")
        try:
            if number:
                connection.execute("SELECT pg_advisory_lock(%s, %s)", [lock, number])
            else:
                connection.execute("SELECT pg_advisory_lock(%s)", [lock])
        except LockNotAvailable as error:
            raise busy from error
        yield


def upsert(
    model: Any, key: Sequence[str], rows: Sequence[dict[str, Any]], *, changes: bool = True
) -> None:
    """Insert rows, or update those that exist. The caller commits.

    Args:
        model: The table.
        key: The columns of the primary key or of a unique constraint.
        rows: Rows that have the same columns.
        changes: Whether existing rows are updated; otherwise they stay as they are.
    """
    if not rows:
        return
    statement = insert(model)
    if not changes:
        db.session.execute(statement.on_conflict_do_nothing(), rows)
        return
    columns = {name: statement.excluded[name] for name in rows[0] if name not in key}
    db.session.execute(statement.on_conflict_do_update(index_elements=key, set_=columns), rows)
