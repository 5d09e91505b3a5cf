"""Name the moment of a score's second check as the job that does it

Revision ID: 0016
Revises: 0015
Create Date: 2026-11-21 22:05:00

"""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade():
    op.alter_column("score_attempts", "second_look_at", new_column_name="rechecked_at")
    op.execute("ALTER INDEX ix_score_attempts_second_look RENAME TO ix_score_attempts_recheck")


def downgrade():
    op.execute("ALTER INDEX ix_score_attempts_recheck RENAME TO ix_score_attempts_second_look")
    op.alter_column("score_attempts", "rechecked_at", new_column_name="second_look_at")
