"""Time zone of the stadium of a game

Revision ID: 0066
Revises: 0065
Create Date: 2026-11-26 13:00:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("games", sa.Column("time_zone", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("games", "time_zone")
