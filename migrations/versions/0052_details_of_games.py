"""Officials, attendance, weather and the like of a game

Revision ID: 0052
Revises: 0051
Create Date: 2026-11-23 07:20:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "game_details",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("officials", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.Column("attendance", sa.Integer(), nullable=True),
        sa.Column("stadium", sa.String(), server_default="", nullable=False),
        sa.Column("surface", sa.String(), server_default="", nullable=False),
        sa.Column("weather", sa.String(), server_default="", nullable=False),
        sa.Column("started", sa.String(), server_default="", nullable=False),
        sa.Column("ended", sa.String(), server_default="", nullable=False),
        sa.CheckConstraint("attendance >= 0", name=op.f("ck_game_details_attendance")),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name=op.f("fk_game_details_game_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_game_details")),
    )


def downgrade() -> None:
    op.drop_table("game_details")
