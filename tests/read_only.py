"""A PostgreSQL that answers and takes no writes, as by a provider's read-only mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from app.settings import Settings
from tests.waiting import until


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
