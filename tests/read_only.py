"""Redis and PostgreSQL that answer and take no writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from app.settings import Settings
from tests.waiting import until

# What begins and what ends it, by what the server is then. The last one is refused as a full disk.
REDIS_WITHOUT_WRITES = {
    "a replica": (("REPLICAOF", "127.0.0.1", "1"), ("REPLICAOF", "NO", "ONE")),
    "full": (("CONFIG SET", "maxmemory", "1"), ("CONFIG SET", "maxmemory", "0")),
    "without copies": (
        ("CONFIG SET", "min-replicas-to-write", "1"),
        ("CONFIG SET", "min-replicas-to-write", "0"),
    ),
}


@contextmanager
def postgres_without_writes(settings: Settings) -> Iterator[None]:
    """While it lasts, new transactions are read-only."""
    owner = psycopg.connect(
        settings.database_owner_url, autocommit=True, options="-c default_transaction_read_only=off"
    )
    with owner:
        owner.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        owner.execute("SELECT pg_reload_conf()")
        try:
            until(lambda: _is_read_only(settings), "the server takes no writes")
            yield
        finally:
            owner.execute("ALTER SYSTEM RESET default_transaction_read_only")
            owner.execute("SELECT pg_reload_conf()")
            until(lambda: not _is_read_only(settings), "the server takes writes again")


def _is_read_only(settings: Settings) -> bool:
    with psycopg.connect(settings.database_owner_url) as fresh:
        return fresh.execute("SHOW default_transaction_read_only").fetchone() == ("on",)
