"""Weekly statistics of earlier seasons, careers, and preseason projections

Revision ID: 0127
Revises: 0126
Create Date: 2026-11-29 16:15:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0127"
down_revision = "0126"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "player_weeks",
        sa.Column("competition", sa.String(), nullable=False),
        sa.Column("season", sa.SmallInteger(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("week", sa.SmallInteger(), nullable=False),
        sa.Column("club_id", sa.String(), nullable=False),
        sa.Column("position", sa.String(), nullable=False),
        sa.Column("stats", postgresql.JSONB(), nullable=False),
        sa.CheckConstraint("week > 0", name=op.f("ck_player_weeks_week")),
        sa.PrimaryKeyConstraint(
            "competition", "season", "footballer_id", "week", name=op.f("pk_player_weeks")
        ),
    )
    op.create_index("ix_player_weeks_footballer_id", "player_weeks", ["footballer_id"])
    op.create_table(
        "footballer_careers",
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("born_on", sa.Date(), nullable=True),
        sa.Column("first_season", sa.SmallInteger(), nullable=True),
        sa.Column("draft_number", sa.SmallInteger(), nullable=True),
        sa.CheckConstraint("draft_number > 0", name=op.f("ck_footballer_careers_draft_number")),
        sa.ForeignKeyConstraint(
            ["footballer_id"],
            ["footballers.id"],
            name=op.f("fk_footballer_careers_footballer_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("footballer_id", name=op.f("pk_footballer_careers")),
    )
    op.create_table(
        "preseason_projections",
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("per_game", sa.Integer(), nullable=False),
        sa.Column("share", sa.SmallInteger(), nullable=False),
        sa.Column("deviation", sa.Integer(), nullable=False),
        sa.Column("form", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["season_id"],
            ["seasons.id"],
            name=op.f("fk_preseason_projections_season_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["footballer_id"],
            ["footballers.id"],
            name=op.f("fk_preseason_projections_footballer_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "season_id", "rules", "footballer_id", name=op.f("pk_preseason_projections")
        ),
    )
    op.create_index(
        "ix_preseason_projections_footballer_id", "preseason_projections", ["footballer_id"]
    )
    # pages of the market show the form; migration 0076 made the function
    for event, rows in {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"}.items():
        op.execute(
            f"CREATE TRIGGER raise_markets_{event.lower()} AFTER {event} ON preseason_projections"
            f" REFERENCING {rows} TABLE AS changed"
            " FOR EACH STATEMENT EXECUTE FUNCTION raise_markets()"
        )


def downgrade() -> None:
    op.drop_table("preseason_projections")
    op.drop_table("footballer_careers")
    op.drop_table("player_weeks")
