"""Predictions: tournaments, guesses, settlements and pools; dead jobs.

Dead letters can be sent again

Revision ID: 0021
Revises: 0020
Create Date: 2026-11-22 02:00:00.000000
"""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

SQL = Path(__file__).parent.parent / "predictions" / "predictions.sql"
# In the order in which they can be dropped.
TABLES = (
    "dead_jobs",
    "pool_members",
    "pools",
    "settlement_audit",
    "settlements",
    "round_slams",
    "tournament_points",
    "guesses",
    "matches",
    "rounds",
    "teams",
    "provider_sources",
    "tournaments",
)
NOTICES_BEFORE = "kind in ('deadline', 'result', 'correction', 'rules', 'adjustment', 'league')"
NOTICES = "kind in ('deadline', 'result', 'correction', 'rules', 'adjustment', 'league', 'prediction', 'operations')"


def upgrade() -> None:
    op.execute(SQL.read_text())
    op.add_column(
        "dead_letters", sa.Column("replays", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column("dead_letters", sa.Column("replayed_at", sa.DateTime(timezone=True)))
    op.add_column("dead_letters", sa.Column("done_at", sa.DateTime(timezone=True)))
    op.add_column("dead_letters", sa.Column("dropped_because", sa.String()))
    op.add_column(
        "webhook_deliveries", sa.Column("replays", sa.Integer(), nullable=False, server_default="0")
    )
    where = sa.text("done_at IS NULL")
    op.create_index("ix_dead_letters_open", "dead_letters", ["created_at"], postgresql_where=where)
    where = sa.text("state = 'dead'")
    op.create_index(
        "ix_webhook_deliveries_dead", "webhook_deliveries", ["ended_at"], postgresql_where=where
    )
    op.drop_constraint("kind", "notices", type_="check")
    op.create_check_constraint("kind", "notices", NOTICES)


def downgrade() -> None:
    op.drop_constraint("kind", "notices", type_="check")
    op.execute("DELETE FROM notices WHERE kind IN ('prediction', 'operations')")
    op.create_check_constraint("kind", "notices", NOTICES_BEFORE)
    op.drop_index("ix_webhook_deliveries_dead", "webhook_deliveries")
    op.drop_index("ix_dead_letters_open", "dead_letters")
    op.drop_column("webhook_deliveries", "replays")
    for column in ("dropped_because", "done_at", "replayed_at", "replays"):
        op.drop_column("dead_letters", column)
    for table in TABLES:
        op.drop_table(table)
    op.execute("DROP FUNCTION guard_guess()")
