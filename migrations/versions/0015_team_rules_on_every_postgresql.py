"""Team rules are unique by an index that PostgreSQL 14 knows too.

Revision ID: 0015
Revises: 0014
Create Date: 2026-11-21 21:55:00

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade():
    # Only a database of the fourteen migrations before has the constraint, which needed PostgreSQL
    # 15.
    op.execute("ALTER TABLE team_rules DROP CONSTRAINT IF EXISTS uq_team_rules_all")
    op.execute("""
        CREATE UNIQUE INDEX IF NOT EXISTS uq_team_rules_all ON team_rules (season_id, format, lock, time_zone,
          coalesce(deadline, ''), budget, club_limit, coalesce(free_transfers, -1), bank_limit, transfer_cost)
    """)


def downgrade():
    pass  # the first release has this index itself
