"""Deliveries of webhooks are tried for a day from their first try

Revision ID: 0029
Revises: 0028
Create Date: 2026-11-22 14:20:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "webhook_deliveries", sa.Column("first_tried_at", sa.DateTime(timezone=True), nullable=True)
    )
    # Those that are under way get their whole day from now on.
    op.execute(
        "UPDATE webhook_deliveries SET first_tried_at = now() WHERE state = 'waiting' AND tries > 0"
    )


def downgrade() -> None:
    op.drop_column("webhook_deliveries", "first_tried_at")
