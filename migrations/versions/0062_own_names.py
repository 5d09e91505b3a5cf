"""The name that a moderator took away is kept beside the one that is shown

Revision ID: 0062
Revises: 0061
Create Date: 2026-11-26 11:20:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE players ADD own_name varchar")
    # Names taken away before: nobody knows any more what they were.
    op.execute(
        "UPDATE players SET own_name = display_name"
        " WHERE member_id IS NULL AND display_name = 'Player ' || left(replace(id::text, '-', ''), 6)"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE players DROP own_name")
