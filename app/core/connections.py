"""How every connection to PostgreSQL is opened, with its timeouts.

Here and not beside the tables: a process that needs no SQLAlchemy does not load it. Not here: the pool (db.py).
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from app.core.timeouts import Database

CONNECT_SECONDS = 3

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


def connect(database: Database, **more: Any) -> psycopg.Connection[Any]:
    """A connection of its own, outside SQLAlchemy's pool; `more`: psycopg's keywords. Raises OperationalError."""
    return psycopg.connect(database.url, **connect_arguments(database), **more)
