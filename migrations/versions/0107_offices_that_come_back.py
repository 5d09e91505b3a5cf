"""Who lost a league or a pool while they were kept out, and gets it back

Revision ID: 0107
Revises: 0106
Create Date: 2026-11-28 21:50:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0107"
down_revision = "0106"
branch_labels = None
depends_on = None

TABLES = ("league_members", "pool_members")


def upgrade() -> None:
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ADD COLUMN lost_office_at timestamptz")


def downgrade() -> None:
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} DROP COLUMN lost_office_at")
