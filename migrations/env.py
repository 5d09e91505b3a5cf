"""Alembic's environment, which `flask_migrate.upgrade` runs with the owner's connection."""

from __future__ import annotations

import re

from alembic import context
from alembic.migration import MigrationContext
from flask import current_app
from sqlalchemy import text

from app.core.db.migrations import check_revision, owner_engine
from app.core.postgres import roles
from app.settings import Settings

settings: Settings = current_app.config["PRESSBOX"]


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """Whether a model describes it; a partition belongs to its table."""
    partition = r"ledger_\w+|score_attempts_(default|\d{4}_\d{2})"
    return not (kind == "table" and name is not None and re.fullmatch(partition, name))


with owner_engine(settings.owner_database()).connect() as connection:
    check_revision(
        MigrationContext.configure(connection).get_current_revision(),
        {script.revision for script in context.script.walk_revisions()},
    )
    connection.rollback()
    tables = current_app.extensions["migrate"].db.metadata
    context.configure(
        connection=connection,
        target_metadata=tables,
        compare_server_default=True,
        include_name=is_ours,
    )
    with context.begin_transaction():
        context.run_migrations()
        # Each migration adds partitions for seasons and months that have none yet; the functions
        # came with 0058 and 0125.
        for function in ("partition_ledger()", "partition_score_attempts()"):
            if connection.scalar(text("SELECT to_regprocedure(:name)"), {"name": function}):
                connection.execute(text(f"SELECT {function}"))
        if settings.database_owner_url:
            roles.grant(connection.connection.driver_connection, settings.psycopg_url)
