"""Scorer leases, holds and practice

Revision ID: 0003
Revises: 0002
Create Date: 2026-11-21 08:36:58.497937

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "key_maps",
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("keys", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(["member_id"], ["members.id"], name=op.f("fk_key_maps_member_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("member_id", name=op.f("pk_key_maps")),
    )
    op.create_table(
        "scorer_leases",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("first_event_number", sa.Integer(), nullable=False),
        sa.Column("console", sa.String(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_scorer_leases_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "epoch", name=op.f("pk_scorer_leases")),
    )
    op.add_column("games", sa.Column("is_practice", sa.Boolean(), server_default="false", nullable=False))
    op.alter_column("games", "epoch", existing_type=sa.INTEGER(), server_default="0", existing_nullable=False)
    op.add_column("outbox", sa.Column("is_practice", sa.Boolean(), server_default="false", nullable=False))
    op.drop_index("ix_outbox_unpublished", table_name="outbox")
    op.create_index(
        "ix_outbox_unpublished",
        "outbox",
        ["id"],
        unique=False,
        postgresql_where=sa.text("published_at IS NULL AND NOT is_practice"),
    )
    op.add_column("player_points", sa.Column("held", sa.Integer(), server_default="0", nullable=False))
    op.add_column("sheet_points", sa.Column("held", sa.Integer(), server_default="0", nullable=False))
    op.add_column(
        "stat_lines", sa.Column("held", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False)
    )


def downgrade():
    op.drop_column("stat_lines", "held")
    op.drop_column("sheet_points", "held")
    op.drop_column("player_points", "held")
    op.drop_index("ix_outbox_unpublished", table_name="outbox")
    op.create_index(
        "ix_outbox_unpublished", "outbox", ["id"], unique=False, postgresql_where=sa.text("published_at IS NULL")
    )
    op.drop_column("outbox", "is_practice")
    op.alter_column("games", "epoch", existing_type=sa.INTEGER(), server_default=sa.text("1"), existing_nullable=False)
    op.drop_column("games", "is_practice")
    op.drop_table("scorer_leases")
    op.drop_table("key_maps")
