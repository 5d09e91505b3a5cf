"""Gameweeks are called as on the pages: Week 3

Revision ID: 0129
Revises: 0128
Create Date: 2026-11-29 20:30:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0129"
down_revision = "0128"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE gameweeks SET name = 'Week ' || week WHERE name = 'Gameweek ' || week")


def downgrade() -> None:
    op.execute("UPDATE gameweeks SET name = 'Gameweek ' || week WHERE name = 'Week ' || week")
