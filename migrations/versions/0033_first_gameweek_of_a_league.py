"""The gameweek from which a league counts

Leagues that are there have counted from the first one, and go on doing so.

Revision ID: 0033
Revises: 0032
Create Date: 2026-11-22 14:30:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "leagues", sa.Column("first_week", sa.Integer(), server_default="1", nullable=False)
    )
    op.create_check_constraint("first_week", "leagues", "first_week > 0")


def downgrade() -> None:
    op.drop_constraint("first_week", "leagues", type_="check")
    op.drop_column("leagues", "first_week")
