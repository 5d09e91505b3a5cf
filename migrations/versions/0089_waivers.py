"""Waivers: claims, and the runs that decide them

Revision ID: 0089
Revises: 0088
Create Date: 2026-11-27 16:40:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0089"
down_revision = "0088"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "waiver_runs",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("scheduled_for", sa.DateTime(timezone=True), nullable=False),
        sa.Column("processed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), server_default="1", nullable=False),
        sa.Column("priorities", postgresql.ARRAY(sa.SmallInteger()), nullable=False),
        sa.CheckConstraint("attempt > 0", name=op.f("ck_waiver_runs_attempt")),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_waiver_runs_league_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_waiver_runs")),
        sa.UniqueConstraint(
            "league_id", "scheduled_for", name=op.f("uq_waiver_runs_scheduled_for")
        ),
    )
    op.create_table(
        "waiver_claims",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("franchise", sa.SmallInteger(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("drop_id", sa.String(), nullable=True),
        sa.Column("bid", sa.Integer(), server_default="0", nullable=False),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        sa.Column("claim_group", sa.SmallInteger(), nullable=True),
        sa.Column("placed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("result", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), server_default="", nullable=False),
        sa.CheckConstraint("bid >= 0", name=op.f("ck_waiver_claims_bid")),
        sa.CheckConstraint("position > 0", name=op.f("ck_waiver_claims_position")),
        sa.CheckConstraint(
            "result in ('won', 'lost', 'skipped', 'impossible', 'cancelled')",
            name=op.f("ck_waiver_claims_result"),
        ),
        sa.CheckConstraint(
            "run_id IS NULL OR result IS NOT NULL", name=op.f("ck_waiver_claims_run_id")
        ),
        sa.ForeignKeyConstraint(
            ["league_id", "franchise"],
            ["franchises.league_id", "franchises.number"],
            name=op.f("fk_waiver_claims_franchise"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["footballer_id"], ["footballers.id"], name=op.f("fk_waiver_claims_footballer_id")
        ),
        sa.ForeignKeyConstraint(
            ["drop_id"], ["footballers.id"], name=op.f("fk_waiver_claims_drop_id")
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["waiver_runs.id"], name=op.f("fk_waiver_claims_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_waiver_claims")),
    )
    op.create_index(
        "uq_waiver_claims_open",
        "waiver_claims",
        ["league_id", "franchise", "footballer_id", sa.text("coalesce(drop_id, '')")],
        unique=True,
        postgresql_where=sa.text("result IS NULL"),
    )
    op.create_index("ix_waiver_claims_run_id", "waiver_claims", ["run_id"])


def downgrade() -> None:
    op.drop_table("waiver_claims")
    op.drop_table("waiver_runs")
