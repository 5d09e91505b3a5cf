"""Equal scores are told apart by the microsecond, not by the second of the board

Boards whose ties go by time lie in Redis in another form from now on: they are marked, so that
PostgreSQL answers until they are built anew under another generation, and nothing of the old form
is read.

Revision ID: 0038
Revises: 0037
Create Date: 2026-11-22 15:00:00.000000
"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

TABLES = ("board_scores", "frozen_scores")
EARLIEST = (
    "SELECT b.id FROM boards b JOIN score_modes m ON m.id = b.mode_id WHERE m.ties = 'earliest'"
)
BUILD_ANEW = f"""
    UPDATE boards SET stale_since = coalesce(stale_since, now()) WHERE archived_at IS NULL AND id IN ({EARLIEST})"""  # noqa: S608
# The last second that the bits of a board of this kind held.
LAST = """CASE split_part(b.window_id, ':', 1) WHEN 'daily' THEN 131071 WHEN 'weekly' THEN 1048575
    WHEN 'monthly' THEN 4194303 ELSE 536870911 END"""


def upgrade() -> None:
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN tie_second TO tie")
        op.execute(f"ALTER TABLE {table} ALTER COLUMN tie TYPE bigint")
        op.execute(f"UPDATE {table} SET tie = at WHERE board_id IN ({EARLIEST})")  # noqa: S608
    op.execute(BUILD_ANEW)


def downgrade() -> None:
    for table in TABLES:
        op.execute(
            f"""UPDATE {table} s SET tie = least(greatest(floor(s.at / 1000000.0)
                - floor(extract(epoch FROM b.origin)), 0), {LAST})
            FROM boards b JOIN score_modes m ON m.id = b.mode_id WHERE b.id = s.board_id AND m.ties = 'earliest'"""  # noqa: S608
        )
        op.execute(f"ALTER TABLE {table} ALTER COLUMN tie TYPE integer")
        op.execute(f"ALTER TABLE {table} RENAME COLUMN tie TO tie_second")
    op.execute(BUILD_ANEW)
