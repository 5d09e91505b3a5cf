"""When the record of a game was last rebuilt

Revision ID: 0096
Revises: 0095
Create Date: 2026-11-28 09:45:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0096"
down_revision = "0095"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE game_states ADD COLUMN rebuilt_at timestamptz")


def downgrade() -> None:
    op.execute("ALTER TABLE game_states DROP COLUMN rebuilt_at")
