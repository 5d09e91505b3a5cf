"""The two roles at PostgreSQL: the tables' owner, who migrates and restores, and the application.

The application's rights are granted at the end of each migration and restore. With one role only
(no DATABASE_OWNER_URL) nothing is granted. Why: docs/decisions/0026-two-roles-at-postgresql.md.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import InsufficientPrivilege

from app.core.errors import UserError

# Of all tables but these the application may read, add, change and delete rows.
FEWER_RIGHTS = {
    "alembic_version": "SELECT",
    "audit_entries": "SELECT, INSERT",
    "audit_head": "SELECT, INSERT, UPDATE (entries, hash)",
}
# These run with the owner's rights (migrations/audit/rights.sql, migrations/scores/months.sql).
OWNERS_FUNCTIONS = (
    "forget_in_audit",
    "begin_score_month",
    "attach_score_month",
    "add_score_month",
    "drop_score_month",
)

Connection = psycopg.Connection[Any]


def role_of(url: str) -> str:
    """The role that an address names, or an empty string."""
    return str(conninfo_to_dict(url).get("user") or "")


def grant(connection: Connection, application_url: str) -> None:
    """Grant the role of `application_url` what the application needs, and nothing else.

    A missing role is created, with the password of the address. Does not commit.

    Args:
        connection: The owner's.
        application_url: The application's DATABASE_URL.

    Raises:
        UserError: The role is missing, and the owner may not create it.
    """
    make_role(connection, application_url)
    role = sql.Identifier(role_of(application_url))
    for statement in (
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",  # PostgreSQL 14 lets everybody
        "GRANT USAGE ON SCHEMA public TO {role}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
        "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    ):
        connection.execute(sql.SQL(statement).format(role=role))
    for table, rights in FEWER_RIGHTS.items():
        if connection.execute("SELECT to_regclass(%s)", [f"public.{table}"]).fetchone() != (None,):
            named = sql.Identifier("public", table)
            connection.execute(sql.SQL("REVOKE ALL ON {} FROM {}").format(named, role))
            connection.execute(sql.SQL("GRANT {} ON {} TO {}").format(sql.SQL(rights), named, role))
    functions_query = (
        "SELECT oid::regprocedure::text FROM pg_proc WHERE proname = ANY(%s) AND pronamespace = "
        "'public'::regnamespace"
    )
    for (function,) in connection.execute(functions_query, [list(OWNERS_FUNCTIONS)]).fetchall():
        connection.execute(
            sql.SQL("REVOKE ALL ON FUNCTION {} FROM PUBLIC").format(sql.SQL(function))
        )
        connection.execute(
            sql.SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(sql.SQL(function), role)
        )


def make_role(connection: Connection, url: str) -> None:
    """Create the role of `url` if it is missing; PostgreSQL sees its password only as a hash.

    Does not commit.
    """
    role = role_of(url)
    if connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).fetchone() is not None:
        return
    statement = sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role))
    if password := str(conninfo_to_dict(url).get("password") or ""):
        hashed = connection.pgconn.encrypt_password(
            password.encode(), role.encode(), b"scram-sha-256"
        ).decode()
        statement += sql.SQL(" PASSWORD {}").format(sql.Literal(hashed))
    try:
        connection.execute(statement)
    except InsufficientPrivilege as error:
        raise UserError(
            f"PostgreSQL has no role {role} (of DATABASE_URL), and the role of DATABASE_OWNER_URL "
            "may not make it: "
            f"have an administrator run `CREATE ROLE {role} LOGIN PASSWORD '...'`, then run this "
            "again."
        ) from error
