"""Rankings of footballers for draft leagues, and the orders that members choose

Revision ID: 0088
Revises: 0087
Create Date: 2026-11-27 16:20:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0088"
down_revision = "0087"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rankings",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("shape", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["season_id"], ["seasons.id"], name=op.f("fk_rankings_season_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rankings")),
        sa.UniqueConstraint("season_id", "rules", "shape", name="uq_rankings_season_id"),
    )
    op.create_table(
        "ranked_footballers",
        sa.Column("ranking_id", sa.BigInteger(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("position_rank", sa.Integer(), nullable=False),
        sa.Column("tier", sa.SmallInteger(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("per_game", sa.Integer(), nullable=False),
        sa.Column("share", sa.SmallInteger(), nullable=False),
        sa.Column("bye_week", sa.SmallInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["footballer_id"],
            ["footballers.id"],
            name=op.f("fk_ranked_footballers_footballer_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["ranking_id"],
            ["rankings.id"],
            name="fk_ranked_footballers_ranking_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("ranking_id", "footballer_id", name=op.f("pk_ranked_footballers")),
    )
    op.create_index("ix_ranked_footballers_rank", "ranked_footballers", ["ranking_id", "rank"])
    op.create_index("ix_ranked_footballers_footballer_id", "ranked_footballers", ["footballer_id"])
    op.create_table(
        "ranking_lists",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=True),
        sa.Column("footballer_ids", postgresql.ARRAY(sa.TEXT()), nullable=False),
        sa.Column(
            "projections",
            postgresql.JSONB(),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column("source", sa.String(), server_default=sa.text("''"), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "cardinality(footballer_ids) <= 5000", name=op.f("ck_ranking_lists_footballer_ids")
        ),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["leagues.id"],
            name=op.f("fk_ranking_lists_league_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["members.id"],
            name=op.f("fk_ranking_lists_member_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ranking_lists")),
    )
    op.create_index(
        "uq_ranking_lists_member_id",
        "ranking_lists",
        ["league_id", sa.text("coalesce(member_id, 0)")],
        unique=True,
    )
    op.create_index("ix_ranking_lists_member_id", "ranking_lists", ["member_id"])


def downgrade() -> None:
    op.drop_table("ranking_lists")
    op.drop_table("ranked_footballers")
    op.drop_table("rankings")
