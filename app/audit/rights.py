"""What keeps the audit append-only: the rights of the application's role, or only triggers."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text

from app.core.db import db

_TRIGGERS = ("audit_guard", "audit_truncate_guard", "audit_head_guard", "audit_head_truncate_guard")
# Whoever owns a table, its schema or the database, or may become its owner, can grant themselves
# every right.
_LOOK = text("""
    SELECT current_user::text AS role,
      bool_or(pg_has_role(c.relowner, 'MEMBER') OR pg_has_role(n.nspowner, 'MEMBER')
        OR pg_has_role(d.datdba, 'MEMBER') OR r.rolcreaterole) AS owns,
      bool_or(has_table_privilege(c.oid, 'DELETE') OR has_table_privilege(c.oid, 'TRUNCATE')
        OR has_table_privilege(c.oid, 'TRIGGER')
        OR (c.relname = 'audit_entries' AND has_any_column_privilege(c.oid,
          'UPDATE'))) AS may_change,
      (SELECT count(*) FROM pg_trigger WHERE tgname = ANY(:triggers) AND tgenabled IN ('O',
        'A')) AS triggers
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_database d ON d.datname = current_database() JOIN pg_roles r ON r.rolname = current_user
    WHERE n.nspname = 'public' AND c.relname IN ('audit_entries', 'audit_head')
""")


@dataclass(frozen=True)
class Rights:
    """How the audit is protected against changes.

    Attributes:
        by_role: The application's role can neither change nor remove entries, nor grant itself the
            right to.
        by_triggers: All triggers that refuse changes are enabled.
    """

    role: str
    by_role: bool
    by_triggers: bool

    @property
    def sentence(self) -> str:
        """How the audit is protected, with the next step if the protection is incomplete."""
        if not self.by_triggers:
            return (
                "The triggers that keep the audit append-only are off: as the owner of the tables, "
                "`ALTER TABLE "
                "audit_entries ENABLE TRIGGER ALL` and the same for `audit_head`; then `pressbox "
                "audit verify`."
            )
        if not self.by_role:
            return (
                "Append-only by triggers alone: the application's role has the owner's rights and "
                "could switch them off. Set DATABASE_OWNER_URL and use a separate role in "
                "DATABASE_URL (docs/security.md)."
            )
        return (
            "Append-only by rights: the application's role can only add entries. Triggers refuse "
            "changes by others."
        )


def rights() -> Rights:
    """The current rights of the role that this process connects as. Raises SQLAlchemyError."""
    row = db.session.execute(_LOOK, {"triggers": list(_TRIGGERS)}).one()
    return Rights(row.role, not row.owns and not row.may_change, row.triggers == len(_TRIGGERS))
