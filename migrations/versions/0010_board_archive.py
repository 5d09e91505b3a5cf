"""Archived boards, changes of modes

Revision ID: 0010
Revises: 0009
Create Date: 2026-11-21 12:40:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "score_mode_changes",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("mode_id", sa.Uuid(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("aggregation_before", sa.String(), nullable=False),
        sa.Column("ties_before", sa.String(), nullable=False),
        sa.Column("aggregation", sa.String(), nullable=False),
        sa.Column("ties", sa.String(), nullable=False),
        sa.Column("moved", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["mode_id"], ["score_modes.id"], name=op.f("fk_score_mode_changes_mode_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["member_id"], ["members.id"], name=op.f("fk_score_mode_changes_member_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_score_mode_changes")),
    )
    op.create_index(op.f("ix_score_mode_changes_mode_id"), "score_mode_changes", ["mode_id"], unique=False)
    op.add_column("boards", sa.Column("blob_sha256", sa.String(), nullable=True))
    op.add_column("boards", sa.Column("cleared_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_boards_uncleared",
        "boards",
        ["id"],
        unique=False,
        postgresql_where=sa.text("archived_at IS NOT NULL AND cleared_at IS NULL"),
    )


def downgrade():
    op.drop_index(
        "ix_boards_uncleared",
        table_name="boards",
        postgresql_where=sa.text("archived_at IS NOT NULL AND cleared_at IS NULL"),
    )
    op.drop_column("boards", "cleared_at")
    op.drop_column("boards", "blob_sha256")
    op.drop_index(op.f("ix_score_mode_changes_mode_id"), table_name="score_mode_changes")
    op.drop_table("score_mode_changes")
