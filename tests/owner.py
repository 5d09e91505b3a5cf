"""The owner of the tables, for what the application's role may not do.

Empty tables, switch triggers off, tamper.
"""

from __future__ import annotations

from functools import cache

from flask import current_app
from sqlalchemy import Engine, create_engine, text

from app.setting_values import for_sqlalchemy
from app.settings import Settings


@cache
def engine_of(url: str, **parameters: str) -> Engine:
    """Connections of the role at `url`, with these parameters of PostgreSQL; one is kept."""
    # a lock that the test itself holds would last for ever
    limits = {"lock_timeout": "30s"} | parameters
    options = " ".join(f"-c {name}={value}" for name, value in limits.items())
    return create_engine(
        for_sqlalchemy(url), pool_size=1, pool_pre_ping=True, connect_args={"options": options}
    )


def owner() -> Engine:
    """Of the current application's database; its connection is kept for the next test."""
    settings: Settings = current_app.config["PRESSBOX"]
    return engine_of(settings.owner_url)


def owner_without_triggers() -> Engine:
    """As `owner`, with triggers and foreign keys switched off.

    Rows can be deleted in any order, and nothing notes it.

    The parameter belongs to the connection, because each change of it discards the connection's
    prepared plans.
    """
    settings: Settings = current_app.config["PRESSBOX"]
    return engine_of(settings.owner_url, session_replication_role="replica")


def without_triggers(*statements: str) -> None:
    """Run the statements with triggers and foreign keys switched off, and commit."""
    with owner_without_triggers().begin() as connection:
        for statement in statements:
            connection.execute(text(statement))


def let_truncate(url: str) -> None:
    """Let the tests' application empty whole tables, as a disaster would, except the audit."""
    with engine_of(url).begin() as connection:
        connection.execute(
            text("""
            DO $$ DECLARE name text; BEGIN
              FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public'
                AND tablename NOT IN ('audit_entries', 'audit_head') LOOP
                EXECUTE format('GRANT TRUNCATE ON %I TO pressbox_app', name);
              END LOOP;
            END $$""")
        )
