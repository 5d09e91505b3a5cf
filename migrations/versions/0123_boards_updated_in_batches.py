"""A mode may update its boards in batches of so many seconds; sessions of attempts

Revision ID: 0123
Revises: 0122
Create Date: 2026-11-29 16:30:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0123"
down_revision = "0122"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "score_modes",
        sa.Column("update_seconds", sa.Integer(), server_default="0", nullable=False),
    )
    op.create_check_constraint("update_seconds", "score_modes", "update_seconds between 0 and 3600")
    op.create_table(
        "waiting_scores",
        sa.Column("board_id", sa.BigInteger(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("score", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["board_id"], ["boards.id"], name="fk_waiting_scores_board_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("board_id", "player_id", name="pk_waiting_scores"),
    )
    op.create_index("ix_waiting_scores_due_at", "waiting_scores", ["due_at"])
    op.create_index("ix_waiting_scores_player_id", "waiting_scores", ["player_id"])
    op.add_column("score_attempts", sa.Column("session_id", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("score_attempts", "session_id")
    op.drop_table("waiting_scores")
    op.drop_column("score_modes", "update_seconds")
