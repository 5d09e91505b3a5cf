"""Alembic's environment: the application's own engine and tables (run through `flask_migrate.upgrade`)."""

from __future__ import annotations

from alembic import context
from flask import current_app

database = current_app.extensions["migrate"].db

with database.engine.connect() as connection:
    context.configure(connection=connection, target_metadata=database.metadata, compare_server_default=True)
    with context.begin_transaction():
        context.run_migrations()
