"""Boards that move from one layout to another

Revision ID: 0009
Revises: 0008
Create Date: 2026-11-21 12:20:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("boards", sa.Column("next_generation", sa.Integer(), nullable=True))
    op.add_column("boards", sa.Column("next_layout", sa.String(), nullable=True))
    op.add_column("boards", sa.Column("next_shards", sa.Integer(), nullable=True))
    op.add_column("boards", sa.Column("next_player_id", sa.Uuid(), nullable=True))
    op.add_column("boards", sa.Column("copied", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column(
        "boards",
        sa.Column("retired", postgresql.JSONB(astext_type=sa.Text()), server_default="[]", nullable=False),
    )
    op.create_check_constraint(
        op.f("ck_boards_next"),
        "boards",
        "num_nulls(next_generation, next_layout, next_shards) in (0, 3) and next_generation > generation",
    )


def downgrade():
    op.drop_constraint(op.f("ck_boards_next"), "boards", type_="check")
    for column in ("retired", "copied", "next_player_id", "next_shards", "next_layout", "next_generation"):
        op.drop_column("boards", column)
