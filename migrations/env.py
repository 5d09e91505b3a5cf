"""Alembic's environment: the application's own engine and tables (run through `flask_migrate.upgrade`)."""

from __future__ import annotations

from alembic import context
from alembic.migration import MigrationContext
from flask import current_app

from app.core.schema import check_revision

database = current_app.extensions["migrate"].db

with database.engine.connect() as connection:
    check_revision(
        MigrationContext.configure(connection).get_current_revision(),
        {script.revision for script in context.script.walk_revisions()},
    )
    connection.rollback()
    context.configure(connection=connection, target_metadata=database.metadata, compare_server_default=True)
    with context.begin_transaction():
        context.run_migrations()
