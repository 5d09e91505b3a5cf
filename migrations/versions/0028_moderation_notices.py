"""Notices of what moderators decided

Revision ID: 0028
Revises: 0027
Create Date: 2026-11-22 08:40:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

BEFORE = "kind in ('deadline', 'result', 'correction', 'rules', 'adjustment', 'league', 'prediction', 'operations')"
AFTER = BEFORE.replace("'operations')", "'operations', 'moderation')")


def upgrade() -> None:
    op.drop_constraint("kind", "notices", type_="check")
    op.create_check_constraint("kind", "notices", AFTER)


def downgrade() -> None:
    op.drop_constraint("kind", "notices", type_="check")
    op.execute("DELETE FROM notices WHERE kind = 'moderation'")
    op.create_check_constraint("kind", "notices", BEFORE)
