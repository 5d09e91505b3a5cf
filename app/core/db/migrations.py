"""Runs the migrations, and explains in a sentence why a database cannot be upgraded.

migrations/env.py calls `check_revision`, so the check runs however the migration is started.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from flask import current_app
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import Engine, NullPool, create_engine
from sqlalchemy.exc import ProgrammingError

from app.core.db import db
from app.core.errors import UserError
from app.core.postgres.connections import connect
from app.core.postgres.timeouts import Database

MIGRATIONS = Path(__file__).parents[3] / "migrations"

# The fourteen migrations that migrations/versions/0014_first_release.py replaced, and the version
# that still has them.
REPLACED = {f"{number:04}" for number in range(1, 14)}
LAST_WITH_REPLACED = "Pressbox 0.1.0 (commit e3dd7b9)"


class SchemaError(UserError):
    """The database cannot be upgraded to this version."""


def check_revision(revision: str | None, known: Collection[str]) -> None:
    """Raise SchemaError unless the database is empty (None) or its revision is known."""
    if revision is None or revision in known:
        return
    if revision in REPLACED:
        raise SchemaError(
            f"The database is at revision {revision}, older than this version can upgrade from "
            f"({min(known)}): start it "
            f"once with {LAST_WITH_REPLACED}, which brings it to {min(known)}, then run this "
            "again. Nothing was "
            "changed."
        )
    raise SchemaError(
        f"The database is at revision {revision}, which this version does not know (its newest is "
        f"{max(known)}): a newer "
        "Pressbox made it, so use that version or a newer one. Nothing was changed."
    )


def owner_engine(owner: Database) -> Engine:
    """Create an engine without a pool, for the role that owns the tables."""
    return create_engine(
        "postgresql+psycopg://", poolclass=NullPool, creator=lambda: connect(owner)
    )


def upgrade() -> None:
    """Upgrade the current application's database to the newest migration. Raises SchemaError."""
    import flask_migrate  # brings Alembic, which no other process needs

    flask_migrate.Migrate(current_app, db, directory=str(MIGRATIONS))
    try:
        flask_migrate.upgrade()
    except ProgrammingError as error:
        if not isinstance(error.orig, InsufficientPrivilege):
            raise
        raise SchemaError(
            f"PostgreSQL refuses a migration ({str(error.orig).splitlines()[0]}): set "
            "DATABASE_OWNER_URL to the role "
            "that owns the tables. Nothing was changed."
        ) from error
