"""Modes have windows of hours and such that they declare

Revision ID: 0043
Revises: 0039
Create Date: 2026-11-22 18:45:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

# revision identifiers, used by Alembic.
revision = "0043"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "score_modes", sa.Column("custom_windows", JSONB(), server_default="[]", nullable=False)
    )


def downgrade() -> None:
    op.drop_column("score_modes", "custom_windows")
