"""Games and modes can be hidden and archived

Revision ID: 0035
Revises: 0034
Create Date: 2026-11-22 14:55:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("score_games", "score_modes"):
        for column in ("hidden_at", "archived_at"):
            op.add_column(table, sa.Column(column, sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    for table in ("score_games", "score_modes"):
        for column in ("archived_at", "hidden_at"):
            op.drop_column(table, column)
