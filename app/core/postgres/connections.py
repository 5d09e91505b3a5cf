"""Opens connections to PostgreSQL with their timeouts.

Separate from app/core/db, so that a process without SQLAlchemy does not load it.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from app.core.postgres.timeouts import Database

# Errors of a server that is away or takes no writes, for example as a standby after a failover.
PostgresAway = (psycopg.OperationalError, psycopg.errors.ReadOnlySqlTransaction)

CONNECT_SECONDS = 3

# Both sides notice when the other one is gone. PostgreSQL cancels the query of a killed process
# within 5 s. Both sides drop the connection to a host that vanished after 45 s. Keepalives are not
# sent while data is unacknowledged, so tcp_user_timeout covers that case. Without it, a host that
# is cut off would keep the relay's lock for a quarter of an hour. Unix sockets ignore the TCP
# values.
_SERVER = {
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "45000",
}
_CLIENT = {
    "keepalives_idle": 30,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 45_000,
}


def connect_arguments(database: Database, **more: str) -> dict[str, Any]:
    """Return psycopg's keyword arguments for this use; `more` are parameters of the server.

    `options` in DATABASE_URL takes precedence. A pooler refuses or ignores such options, so there
    each transaction begins with `limits_of_transaction`. Statements are not prepared behind a
    pooler, because the next transaction may run in another session.
    """
    every = {
        "connect_timeout": CONNECT_SECONDS,
        "application_name": f"pressbox-{database.use}",
        **_CLIENT,
    }
    if database.is_pooled:
        return {**every, "prepare_threshold": None}
    url_options = str(conninfo_to_dict(database.url).get("options") or "")
    parameters = {**_limits(database), **_SERVER, **more}
    return {
        **every,
        "options": " ".join(
            [*(f"-c {name}={value}" for name, value in parameters.items()), url_options]
        ).strip(),
    }


def _limits(database: Database) -> dict[str, str]:
    return {
        "statement_timeout": f"{database.timeouts.statement * 1000:.0f}",
        "lock_timeout": f"{database.timeouts.lock * 1000:.0f}",
        "idle_in_transaction_session_timeout": f"{database.timeouts.idle * 1000:.0f}",
        "client_connection_check_interval": "5s",
    }


def limits_of_transaction(database: Database) -> str:
    """Return the statement that sets the timeouts of this use for the open transaction."""
    return "SELECT " + ", ".join(
        f"set_config('{name}', '{value}', true)" for name, value in _limits(database).items()
    )


def connect(database: Database, **more: Any) -> psycopg.Connection[Any]:
    """Open a connection outside SQLAlchemy's pool. Raises OperationalError.

    Args:
        database: Past a pooler (Settings.direct_database), whose sessions do not outlive a
            transaction.
        more: Further keyword arguments of psycopg.
    """
    return psycopg.connect(database.url, **connect_arguments(database), **more)
