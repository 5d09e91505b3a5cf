"""Swings that a member shared by a link

Revision ID: 0047
Revises: 0046
Create Date: 2026-11-22 19:15:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "swing_shares",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("play_number", sa.Integer(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name=op.f("fk_swing_shares_game_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["league_id", "member_id"],
            ["league_members.league_id", "league_members.member_id"],
            name=op.f("fk_swing_shares_league_id_member_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["members.id"],
            name=op.f("fk_swing_shares_member_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_swing_shares")),
        sa.UniqueConstraint(
            "league_id",
            "member_id",
            "game_id",
            "play_number",
            name=op.f("uq_swing_shares_league_id_member_id_game_id_play_number"),
        ),
    )
    op.create_index("ix_swing_shares_member_id", "swing_shares", ["member_id", "id"])


def downgrade() -> None:
    op.drop_table("swing_shares")
