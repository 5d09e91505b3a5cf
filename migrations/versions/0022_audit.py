"""Roles in any combination; the audit

Revision ID: 0022
Revises: 0021
Create Date: 2026-11-22 05:10:00.000000

"""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

SQL = Path(__file__).parent.parent / "audit" / "audit.sql"


def upgrade() -> None:
    op.add_column(
        "members", sa.Column("roles", sa.ARRAY(sa.TEXT()), nullable=False, server_default="{}")
    )
    op.execute("UPDATE members SET roles = ARRAY[role] WHERE role <> 'member'")
    op.create_check_constraint(
        "roles", "members", "roles <@ ARRAY['scorer', 'moderator', 'operator']"
    )
    op.drop_constraint("role", "members", type_="check")
    op.drop_column("members", "role")
    op.execute(SQL.read_text())


def downgrade() -> None:
    op.execute("DROP TABLE audit_head, audit_entries")
    op.execute("DROP FUNCTION guard_audit(), guard_audit_head()")
    op.add_column(
        "members", sa.Column("role", sa.String(), nullable=False, server_default="member")
    )
    # Who has several keeps the one that may most.
    op.execute(
        """
        UPDATE members SET role = CASE WHEN 'operator' = ANY(roles) THEN 'operator'
          WHEN 'moderator' = ANY(roles) THEN 'moderator' ELSE 'scorer' END WHERE roles <> '{}'
        """
    )
    op.alter_column("members", "role", server_default=None)
    op.create_check_constraint(
        "role", "members", "role in ('member', 'scorer', 'moderator', 'operator')"
    )
    op.drop_constraint("roles", "members", type_="check")
    op.drop_column("members", "roles")
