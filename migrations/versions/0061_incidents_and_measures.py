"""The history of incidents, and the counts of the objectives, which Redis lost with itself

Revision ID: 0061
Revises: 0060
Create Date: 2026-11-26 12:00:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "incidents",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("part", sa.String(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("mended_by", sa.String(), nullable=True),
        sa.CheckConstraint(
            "(ended_at IS NULL) = (mended_by IS NULL)", name=op.f("ck_incidents_ended")
        ),
        sa.CheckConstraint("ended_at >= began_at", name=op.f("ck_incidents_order")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_incidents")),
    )
    op.create_index(
        "uq_incidents_open", "incidents", ["part"], unique=True, postgresql_where="ended_at IS NULL"
    )
    op.create_index("ix_incidents_began_at", "incidents", ["began_at"])
    op.create_table(
        "measure_counts",
        sa.Column("span", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("field", sa.String(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("span in ('bin', 'day', 'total')", name=op.f("ck_measure_counts_span")),
        sa.PrimaryKeyConstraint("span", "at", "field", name=op.f("pk_measure_counts")),
    )


def downgrade() -> None:
    op.drop_table("measure_counts")
    op.drop_table("incidents")
