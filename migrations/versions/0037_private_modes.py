"""Boards of a mode can be private

Revision ID: 0037
Revises: 0036
Create Date: 2026-11-22 15:10:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "score_modes", sa.Column("private", sa.Boolean(), server_default="false", nullable=False)
    )


def downgrade() -> None:
    op.drop_column("score_modes", "private")
