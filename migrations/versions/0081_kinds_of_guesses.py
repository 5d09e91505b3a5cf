"""Confidence of a guess, and the round in which a survivor went out

Revision ID: 0081
Revises: 0080
Create Date: 2026-11-27 07:10:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0081"
down_revision = "0080"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("guesses", sa.Column("confidence", sa.SmallInteger(), nullable=True))
    op.create_check_constraint(
        op.f("ck_guesses_confidence"), "guesses", "confidence BETWEEN 1 AND 1000"
    )
    op.add_column("tournament_points", sa.Column("out_round_id", sa.BigInteger(), nullable=True))
    op.create_foreign_key(
        op.f("fk_tournament_points_out_round_id"),
        "tournament_points",
        "rounds",
        ["out_round_id"],
        ["id"],
        ondelete="SET NULL",
    )


def downgrade() -> None:
    op.drop_column("tournament_points", "out_round_id")
    op.drop_column("guesses", "confidence")
