"""Recaps and matchups that a member shared by a link

Revision ID: 0080
Revises: 0079
Create Date: 2026-11-27 04:45:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0080"
down_revision = "0079"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "week_shares",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("gameweek_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("home_id", sa.BigInteger(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint("kind IN ('recap', 'matchup')", name=op.f("ck_week_shares_kind")),
        sa.ForeignKeyConstraint(
            ["gameweek_id"],
            ["gameweeks.id"],
            name=op.f("fk_week_shares_gameweek_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["league_id", "member_id"],
            ["league_members.league_id", "league_members.member_id"],
            name=op.f("fk_week_shares_league_id_member_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["members.id"],
            name=op.f("fk_week_shares_member_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_week_shares")),
        sa.UniqueConstraint(
            "league_id",
            "member_id",
            "gameweek_id",
            "kind",
            "home_id",
            name=op.f("uq_week_shares_league_id_member_id_gameweek_id_kind_home_id"),
        ),
    )
    op.create_index("ix_week_shares_member_id", "week_shares", ["member_id", "id"])


def downgrade() -> None:
    op.drop_table("week_shares")
