"""What each footballer counted when the team sheets of a gameweek were last added up

Revision ID: 0053
Revises: 0052
Create Date: 2026-11-23 14:00:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "counted_footballers",
        sa.Column("gameweek_id", sa.BigInteger(), nullable=False),
        sa.Column("counts_moved", sa.Boolean(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("position", sa.String(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("held", sa.Integer(), nullable=False),
        sa.Column("played", sa.Boolean(), nullable=False),
        sa.Column("is_out", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["footballer_id"],
            ["footballers.id"],
            name=op.f("fk_counted_footballers_footballer_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["gameweek_id"],
            ["gameweeks.id"],
            name=op.f("fk_counted_footballers_gameweek_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "gameweek_id",
            "counts_moved",
            "rules",
            "footballer_id",
            name=op.f("pk_counted_footballers"),
        ),
    )


def downgrade() -> None:
    op.drop_table("counted_footballers")
