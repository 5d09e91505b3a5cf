"""Alembic's environment: the owner's connection, the application's tables (run through `flask_migrate.upgrade`)."""

from __future__ import annotations

from alembic import context
from alembic.migration import MigrationContext
from flask import current_app

from app.core import roles
from app.core.schema import check_revision, owner_engine
from app.settings import Settings

settings: Settings = current_app.config["PRESSBOX"]

with owner_engine(settings.owner_database()).connect() as connection:
    check_revision(
        MigrationContext.configure(connection).get_current_revision(),
        {script.revision for script in context.script.walk_revisions()},
    )
    connection.rollback()
    tables = current_app.extensions["migrate"].db.metadata
    context.configure(connection=connection, target_metadata=tables, compare_server_default=True)
    with context.begin_transaction():
        context.run_migrations()
        if settings.database_owner_url:
            roles.grant(connection.connection.driver_connection, settings.psycopg_url)
