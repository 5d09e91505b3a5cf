"""Notices know the footballers whom they name, so that each name leads to their page

Revision ID: 0048
Revises: 0042
Create Date: 2026-11-22 21:50:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0048"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "notices",
        sa.Column(
            "names", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
    )


def downgrade() -> None:
    op.drop_column("notices", "names")
