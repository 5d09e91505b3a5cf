"""The database handle, how connections are opened, and what every table shares.

Not here: the tables themselves (each subject's models.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

import psycopg
from flask_sqlalchemy import SQLAlchemy
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import BigInteger, DateTime, Identity, MetaData, func
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import DeclarativeBase, mapped_column, registry

from app.core.timeouts import Database

# Every constraint has a name that can be quoted in an error and dropped in a migration.
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
    # Given as a registry: Flask-SQLAlchemy copies the class, and SQLAlchemy 2.1 refuses a copied annotation map.
    registry = registry(
        metadata=_metadata,
        type_annotation_map={datetime: DateTime(timezone=True), dict[str, Any]: JSONB},
    )


db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})

BigId = Annotated[int, mapped_column(BigInteger, Identity(), primary_key=True)]
CreatedAt = Annotated[datetime, mapped_column(server_default=func.now())]

CONNECT_SECONDS = 3
POOL_SECONDS = 10  # the wait for a free connection of the pool
SPARE_CONNECTIONS = 4

# Both ends find out that the other one is gone: PostgreSQL ends the query of a killed process within 5 s, and either
# drops the connection to a machine that vanished after 45 s. Values of TCP are ignored on a Unix socket.
_SERVER = {
    "client_connection_check_interval": "5s",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}
_CLIENT = {"keepalives_idle": 30, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 45_000}


def connect_arguments(database: Database) -> dict[str, Any]:
    """psycopg's keywords of every connection for this use; `options` in DATABASE_URL has the last word."""
    timeouts = database.timeouts
    parameters = {
        "statement_timeout": f"{timeouts.statement * 1000:.0f}",
        "lock_timeout": f"{timeouts.lock * 1000:.0f}",
        "idle_in_transaction_session_timeout": f"{timeouts.idle * 1000:.0f}",
        **_SERVER,
    }
    given = str(conninfo_to_dict(database.url).get("options") or "")
    return {
        "connect_timeout": CONNECT_SECONDS,
        "application_name": f"pressbox-{database.use}",
        "options": " ".join([*(f"-c {name}={value}" for name, value in parameters.items()), given]).strip(),
        **_CLIENT,
    }


def engine_options(database: Database, threads: int) -> dict[str, Any]:
    """The pool of a process with so many threads: a connection each, and a few more."""
    return {
        "hide_parameters": True,  # what people send, a password's hash among it, stays out of logs
        "pool_pre_ping": True,
        "pool_size": threads,
        "max_overflow": SPARE_CONNECTIONS,
        "pool_timeout": POOL_SECONDS,
        "connect_args": connect_arguments(database),
    }


def connect(database: Database, **more: Any) -> psycopg.Connection[Any]:
    """A connection of its own, outside SQLAlchemy's pool; `more`: psycopg's keywords. Raises OperationalError."""
    return psycopg.connect(database.url, **connect_arguments(database), **more)


@contextmanager
def transaction() -> Iterator[None]:
    """Commits at the end; rolls everything back when something fails."""
    try:
        yield
        db.session.commit()
    except BaseException:
        db.session.rollback()
        raise


def upsert(model: Any, key: Sequence[str], rows: Sequence[dict[str, Any]], *, changes: bool = True) -> None:
    """Inserts; rows that are there get these columns, without `changes` they stay as they are. The caller commits.

    Rows have the same columns; `key`: those of the primary key or of a unique constraint.
    """
    if not rows:
        return
    statement = insert(model)
    if not changes:
        db.session.execute(statement.on_conflict_do_nothing(), rows)
        return
    columns = {name: statement.excluded[name] for name in rows[0] if name not in key}
    db.session.execute(statement.on_conflict_do_update(index_elements=key, set_=columns), rows)
