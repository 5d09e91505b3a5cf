"""Tokens of acts with their member and what the act was

Revision ID: 0115
Revises: 0108
Create Date: 2026-11-28 21:40:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0115"
down_revision = "0108"
branch_labels = None
depends_on = None

TABLES = ("draft_events", "trades")


def upgrade() -> None:
    _limit(100)
    op.execute("ALTER TABLE trades ALTER COLUMN token DROP NOT NULL")


def downgrade() -> None:
    # Tokens that are too long for the old limit are only needed to recognise repeated acts.
    op.execute("ALTER TABLE draft_events DISABLE TRIGGER guard_draft_events")
    op.execute("UPDATE draft_events SET token = NULL WHERE length(token) > 40")
    op.execute("ALTER TABLE draft_events ENABLE TRIGGER guard_draft_events")
    op.execute("UPDATE trades SET token = id WHERE token IS NULL OR length(token) > 40")
    op.execute("ALTER TABLE trades ALTER COLUMN token SET NOT NULL")
    _limit(40)


def _limit(length: int) -> None:
    for table in TABLES:
        name = f"ck_{table}_token"
        op.execute(
            f"ALTER TABLE {table} DROP CONSTRAINT {name}, "
            f"ADD CONSTRAINT {name} CHECK (length(token) <= {length})"
        )
