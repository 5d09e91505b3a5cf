"""Keeps how corrections changed the brackets of draft leagues

Revision ID: 0093
Revises: 0092
Create Date: 2026-11-27 20:45:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0093"
down_revision = "0092"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bracket_changes",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("gameweek_id", sa.BigInteger(), nullable=True),
        sa.Column("before", postgresql.JSONB(), nullable=False),
        sa.Column("after", postgresql.JSONB(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["draft_leagues.league_id"],
            name=op.f("fk_bracket_changes_league_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["gameweek_id"],
            ["gameweeks.id"],
            name=op.f("fk_bracket_changes_gameweek_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bracket_changes")),
    )
    op.create_index("ix_bracket_changes_league_id", "bracket_changes", ["league_id", "id"])
    op.create_index("ix_bracket_changes_gameweek_id", "bracket_changes", ["gameweek_id"])


def downgrade() -> None:
    op.drop_table("bracket_changes")
