"""Which version of each game the league tables show.

Revision ID: 0018
Revises: 0017
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "game_refreshes",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name=op.f("fk_game_refreshes_game_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_game_refreshes")),
    )
    # Games of before are shown as they are; those of the last day are refreshed once more.
    op.execute("""
        INSERT INTO game_refreshes (game_id, version, updated_at)
        SELECT game_id, version, updated_at FROM game_states WHERE updated_at < now() - interval '1 day'
    """)


def downgrade() -> None:
    op.drop_table("game_refreshes")
