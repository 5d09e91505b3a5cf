"""What footballers cost, and how many had them, after each deadline

Revision ID: 0036
Revises: 0035
Create Date: 2026-11-22 14:32:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "footballer_weeks",
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("gameweek_id", sa.BigInteger(), nullable=False),
        sa.Column("price", sa.Integer(), nullable=False),
        sa.Column("selected", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["footballer_id"], ["footballers.id"], name=op.f("fk_footballer_weeks_footballer_id")
        ),
        sa.ForeignKeyConstraint(
            ["gameweek_id"],
            ["gameweeks.id"],
            name=op.f("fk_footballer_weeks_gameweek_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("footballer_id", "gameweek_id", name=op.f("pk_footballer_weeks")),
    )


def downgrade() -> None:
    op.drop_table("footballer_weeks")
