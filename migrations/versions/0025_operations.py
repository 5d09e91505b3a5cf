"""Operations: when each board was verified and rebuilt, what was found wrong with it.

What operators asked for

Revision ID: 0025
Revises: 0022
Create Date: 2026-11-22 05:30:00.000000
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0025"
down_revision = "0023"
branch_labels = None
depends_on = None

TIMES = ("verified_at", "rebuilt_at", "fault_at")


def upgrade() -> None:
    for column in TIMES:
        op.add_column("boards", sa.Column(column, sa.DateTime(timezone=True)))
    op.add_column("boards", sa.Column("fault", sa.String()))
    op.add_column("boards", sa.Column("faults", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "operations",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("arguments", postgresql.JSONB(), nullable=False, server_default="{}"),
        sa.Column("is_dry_run", sa.Boolean(), nullable=False),
        sa.Column("member_id", sa.BigInteger()),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False, server_default="waiting"),
        sa.Column("progress", sa.String(), nullable=False, server_default=""),
        sa.Column("outcome", sa.String(), nullable=False, server_default=""),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_operations"),
        sa.ForeignKeyConstraint(
            ["member_id"], ["members.id"], name="fk_operations_member_id_members"
        ),
        sa.CheckConstraint("state in ('waiting', 'running', 'done', 'failed')", name="state"),
    )


def downgrade() -> None:
    op.drop_table("operations")
    for column in ("faults", "fault", *TIMES):
        op.drop_column("boards", column)
