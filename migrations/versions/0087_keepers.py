"""Keepers: until when they are chosen, and who is

Revision ID: 0087
Revises: 0084
Create Date: 2026-11-27 17:15:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0087"
down_revision = "0084"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "keeper_windows",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["leagues.id"],
            name=op.f("fk_keeper_windows_league_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("league_id", name=op.f("pk_keeper_windows")),
    )
    op.create_table(
        "keeper_choices",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("franchise", sa.SmallInteger(), nullable=False),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        sa.Column("round", sa.SmallInteger(), nullable=True),
        sa.Column("price", sa.Integer(), server_default="0", nullable=False),
        sa.Column("seasons", sa.SmallInteger(), server_default="0", nullable=False),
        sa.CheckConstraint("position > 0", name=op.f("ck_keeper_choices_position")),
        sa.CheckConstraint("round > 0", name=op.f("ck_keeper_choices_round")),
        sa.CheckConstraint("price >= 0", name=op.f("ck_keeper_choices_price")),
        sa.ForeignKeyConstraint(
            ["footballer_id"], ["footballers.id"], name=op.f("fk_keeper_choices_footballer_id")
        ),
        sa.ForeignKeyConstraint(
            ["league_id", "franchise"],
            ["franchises.league_id", "franchises.number"],
            name=op.f("fk_keeper_choices_franchise"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("league_id", "footballer_id", name=op.f("pk_keeper_choices")),
    )


def downgrade() -> None:
    op.drop_table("keeper_choices")
    op.drop_table("keeper_windows")
