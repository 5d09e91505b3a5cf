"""Where a play stands in its game, and an event in its play, when that is not its number

Revision ID: 0049
Revises: 0048
Create Date: 2026-11-22 21:55:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

TABLES = (
    "challenges",
    "conversions",
    "credits",
    "kicks",
    "passes",
    "penalties",
    "plays",
    "runs",
    "sacks",
    "safeties",
    "tackles",
    "turnovers",
)


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("place", sa.Double(), nullable=True))
    op.add_column("plays", sa.Column("play_place", sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column("plays", "play_place")
    for table in TABLES:
        op.drop_column(table, "place")
