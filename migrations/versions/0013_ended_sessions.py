"""Sessions that were signed out

Revision ID: 0013
Revises: 0012
Create Date: 2026-11-21 12:30:00

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "ended_sessions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ended_sessions")),
    )


def downgrade():
    op.drop_table("ended_sessions")
