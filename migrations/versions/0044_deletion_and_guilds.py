"""Games and modes are deleted in steps, and the feed says so; games have guilds

Revision ID: 0044
Revises: 0043
Create Date: 2026-11-22 19:10:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("score_games", "score_modes"):
        op.add_column(table, sa.Column("deleting_at", sa.DateTime(timezone=True), nullable=True))
    op.alter_column("board_changes", "player_id", nullable=True)
    op.create_check_constraint(
        "player", "board_changes", "player_id IS NOT NULL OR event IS NOT NULL"
    )
    op.create_table(
        "guilds",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"], ["score_games.id"], name=op.f("fk_guilds_game_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guilds")),
        sa.UniqueConstraint("game_id", "slug", name="uq_guilds_slug"),
    )
    op.create_table(
        "guild_members",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("guild_id", sa.Uuid(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("left_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["game_id"],
            ["score_games.id"],
            name=op.f("fk_guild_members_game_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["guild_id"], ["guilds.id"], name=op.f("fk_guild_members_guild_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
            name=op.f("fk_guild_members_player_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guild_members")),
    )
    op.create_index("ix_guild_members_guild_id", "guild_members", ["guild_id"])
    op.create_index("ix_guild_members_player_id", "guild_members", ["player_id"])
    op.create_index(
        "uq_guild_members_player",
        "guild_members",
        ["game_id", "player_id"],
        unique=True,
        postgresql_where=sa.text("left_at IS NULL"),
    )


def downgrade() -> None:
    op.drop_table("guild_members")
    op.drop_table("guilds")
    op.execute("DELETE FROM board_changes WHERE player_id IS NULL")
    op.drop_constraint("player", "board_changes", type_="check")
    op.alter_column("board_changes", "player_id", nullable=False)
    for table in ("score_games", "score_modes"):
        op.drop_column(table, "deleting_at")
