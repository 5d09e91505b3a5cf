"""Moderation: sanctions, rollbacks, frozen boards, reports, appeals, notes, limits of integrators

Revision ID: 0026
Revises: 0025
Create Date: 2026-11-22 06:00:00.000000

"""

from pathlib import Path

from alembic import op

# revision identifiers, used by Alembic.
revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

SQL = Path(__file__).parent.parent / "moderation" / "moderation.sql"
# In the order in which they can be dropped.
TABLES = (
    "anticheat_limits",
    "account_notes",
    "appeals",
    "reports",
    "frozen_counts",
    "frozen_scores",
    "board_freezes",
    "rollbacks",
    "sanctions",
)


def upgrade() -> None:
    op.execute(SQL.read_text())


def downgrade() -> None:
    for column in ("banned_at", "suspended_until", "is_shadowed", "is_minor", "erased_at"):
        op.drop_column("members", column)
    op.drop_column("players", "hidden_at")
    op.drop_column("score_attempts", "rollback_id")
    op.execute("DROP INDEX ix_score_attempts_address, ix_score_attempts_device")
    op.execute("DELETE FROM score_corrections WHERE action = 'restore'")
    op.drop_constraint("action", "score_corrections", type_="check")
    op.create_check_constraint(
        "action", "score_corrections", "action in ('roll_back', 'accept', 'reject', 'flag')"
    )
    for table in TABLES:
        op.drop_table(table)
    # The function goes back to what it was in 0014: nothing is frozen any more.
    feed = (Path(__file__).parent.parent / "first_release" / "feed.sql").read_text()
    function = feed[feed.index("CREATE FUNCTION note_board_changes") : feed.index("CREATE TRIGGER")]
    op.execute(function.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"))
    op.drop_column("boards", "frozen_at")
