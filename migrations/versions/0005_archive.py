"""The archive of the stream: what each object in the blob store holds

Revision ID: 0005
Revises: 0004
Create Date: 2026-11-21 09:30:00

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "archived_segments",
        sa.Column("topic", sa.String(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("segment", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("event_numbers", sa.ARRAY(sa.Integer()), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("topic", "game_id", "day", "segment", name=op.f("pk_archived_segments")),
        sa.UniqueConstraint("name", name="uq_archived_segments_name"),
    )


def downgrade():
    op.drop_table("archived_segments")
