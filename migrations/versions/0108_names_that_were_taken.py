"""Whether a moderator has taken a name away; a minor's plain name is another matter

Revision ID: 0108
Revises: 0107
Create Date: 2026-11-28 21:55:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0108"
down_revision = "0107"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE players ADD COLUMN is_name_taken boolean NOT NULL DEFAULT false")
    op.execute("UPDATE players SET is_name_taken = true WHERE own_name IS NOT NULL")


def downgrade() -> None:
    op.execute("ALTER TABLE players DROP COLUMN is_name_taken")
