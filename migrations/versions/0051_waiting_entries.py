"""What waits in a scorer's browser after somebody else took the game

Revision ID: 0051
Revises: 0049
Create Date: 2026-11-23 07:00:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0051"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "waiting_entries",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("console", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("made_under", sa.Integer(), nullable=False),
        sa.Column("play_number", sa.Integer(), nullable=True),
        sa.Column("entry", postgresql.JSONB(), nullable=False),
        sa.Column("dropped_by", sa.String(), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name=op.f("fk_waiting_entries_game_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("game_id", "console", "key", name=op.f("pk_waiting_entries")),
    )
    op.create_index("ix_waiting_entries_changed_at", "waiting_entries", ["changed_at"])


def downgrade() -> None:
    op.drop_table("waiting_entries")
