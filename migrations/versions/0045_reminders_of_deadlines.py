"""Members are reminded of a deadline a day and an hour before it, and again when it moves

Revision ID: 0045
Revises: 0038
Create Date: 2026-11-22 18:45:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0045"
down_revision = "0038"
branch_labels = None
depends_on = None

# Who was reminded before the upgrade is not reminded of the same deadline again.
REMINDED = """
    INSERT INTO deadline_reminders (team_rules_id, gameweek_id, stage, locks_at, reminded_at)
    SELECT d.team_rules_id, w.id, 'day', least(d.locks_at, w.deadline), max(n.created_at)
    FROM sheet_deadlines d JOIN gameweeks w ON w.id = d.gameweek_id
    JOIN notices n ON n.key = 'deadline-near:' || w.id || ':' || d.team_rules_id
    WHERE w.locked_at IS NULL GROUP BY d.team_rules_id, w.id, d.locks_at
"""


def upgrade() -> None:
    op.create_table(
        "deadline_reminders",
        sa.Column("team_rules_id", sa.BigInteger(), nullable=False),
        sa.Column("gameweek_id", sa.BigInteger(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("locks_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reminded_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("stage in ('day', 'hour')", name=op.f("ck_deadline_reminders_stage")),
        sa.ForeignKeyConstraint(
            ["gameweek_id"],
            ["gameweeks.id"],
            name=op.f("fk_deadline_reminders_gameweek_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["team_rules_id"],
            ["team_rules.id"],
            name=op.f("fk_deadline_reminders_team_rules_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "team_rules_id", "gameweek_id", "stage", "locks_at", name=op.f("pk_deadline_reminders")
        ),
    )
    op.execute(REMINDED)


def downgrade() -> None:
    op.drop_table("deadline_reminders")
