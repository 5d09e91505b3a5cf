"""Lets trades end because somebody whom they move has moved already

Revision ID: 0092
Revises: 0091
Create Date: 2026-11-27 19:30:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0092"
down_revision = "0091"
branch_labels = None
depends_on = None

BEFORE = (
    "'offered', 'declined', 'withdrawn', 'countered', 'expired', 'in_review', 'stopped', "
    "'executed', 'failed'"
)


def upgrade() -> None:
    _allow(f"{BEFORE}, 'impossible'")
    op.create_index(
        "ix_trades_open",
        "trades",
        ["league_id"],
        postgresql_where=sa.text("status IN ('offered', 'in_review')"),
    )


def downgrade() -> None:
    op.drop_index("ix_trades_open", "trades")
    op.execute("UPDATE trades SET status = 'expired' WHERE status = 'impossible'")
    _allow(BEFORE)


def _allow(statuses: str) -> None:
    op.drop_constraint(op.f("ck_trades_status"), "trades")
    op.create_check_constraint(op.f("ck_trades_status"), "trades", f"status in ({statuses})")
