"""How long ago a score may have been achieved that a trusted server sends

Revision ID: 0031
Revises: 0030
Create Date: 2026-11-22 14:50:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "score_modes", sa.Column("late_hours", sa.Integer(), server_default="24", nullable=False)
    )
    op.create_check_constraint("late_hours", "score_modes", "late_hours between 0 and 8784")


def downgrade() -> None:
    op.drop_column("score_modes", "late_hours")
