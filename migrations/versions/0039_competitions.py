"""Competitions: windows with joins, attempts, cohorts and tiers, and the ledger of their rewards

Revision ID: 0039
Revises: 0045
Create Date: 2026-11-22 18:40:00.000000

"""

from pathlib import Path

from alembic import op

# revision identifiers, used by Alembic.
revision = "0039"
down_revision = "0045"
branch_labels = None
depends_on = None

SQL = Path(__file__).parent.parent / "competitions"
# In the order in which they can be dropped.
TABLES = (
    "competition_rewards",
    "competition_invitations",
    "competition_attempts",
    "competition_entries",
    "competition_windows",
    "competitions",
)


def upgrade() -> None:
    for name in ("tables.sql", "triggers.sql"):
        op.execute((SQL / name).read_text())


def downgrade() -> None:
    op.execute("DROP TRIGGER note_hidden_players ON players")
    op.execute("DROP TRIGGER note_changed_attempts ON score_attempts")
    op.execute("DROP TRIGGER note_inserted_attempts ON score_attempts")
    op.execute("DROP FUNCTION note_hidden_players(), note_changed_attempts()")
    op.execute("DELETE FROM board_changes WHERE board_id IS NULL")
    op.drop_constraint("event", "board_changes", type_="check")
    op.drop_column("board_changes", "details")
    op.drop_column("board_changes", "event")
    op.alter_column("board_changes", "board_id", nullable=False)
    for table in TABLES:
        op.drop_table(table)
