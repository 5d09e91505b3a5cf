"""The last known start of each store, so that a restart which no watch saw is noted by the next one

Revision ID: 0075
Revises: 0074
Create Date: 2026-11-26 17:30:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0075"
down_revision = "0074"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "store_starts",
        sa.Column("store", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("store", name=op.f("pk_store_starts")),
    )


def downgrade() -> None:
    op.drop_table("store_starts")
