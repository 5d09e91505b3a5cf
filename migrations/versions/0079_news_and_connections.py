"""News of leagues to be posted, connections of leagues to other services, calendars of members

Revision ID: 0079
Revises: 0078
Create Date: 2026-11-27 04:30:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0079"
down_revision = "0078"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "league_news",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("ref", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind in ('joined', 'rules', 'result', 'corrected')", name=op.f("ck_league_news_kind")
        ),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_league_news_league_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_league_news")),
        sa.UniqueConstraint("league_id", "kind", "ref", name="uq_league_news_ref"),
    )
    op.create_table(
        "calendar_feeds",
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "entries", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["members.id"],
            name=op.f("fk_calendar_feeds_member_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("member_id", name=op.f("pk_calendar_feeds")),
    )
    op.create_table(
        "league_connections",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("service", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stop_reason", sa.String(), nullable=True),
        sa.Column("leased_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease", sa.Uuid(), nullable=True),
        sa.CheckConstraint(
            "service in ('discord', 'slack', 'json')", name=op.f("ck_league_connections_service")
        ),
        sa.CheckConstraint(
            "(stopped_at IS NULL) = (stop_reason IS NULL)",
            name=op.f("ck_league_connections_stopped"),
        ),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["leagues.id"],
            name=op.f("fk_league_connections_league_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_league_connections")),
    )
    op.create_index("ix_league_connections_league_id", "league_connections", ["league_id"])
    _create_deliveries()


def _create_deliveries() -> None:
    op.create_table(
        "connection_deliveries",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("connection_id", sa.Uuid(), nullable=False),
        sa.Column("post_id", sa.BigInteger(), nullable=True),
        sa.Column("state", sa.String(), server_default="waiting", nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("first_tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.CheckConstraint(
            "state in ('waiting', 'delivered', 'dead')", name=op.f("ck_connection_deliveries_state")
        ),
        sa.CheckConstraint(
            "(state = 'waiting') = (ended_at IS NULL)",
            name=op.f("ck_connection_deliveries_ended_at"),
        ),
        sa.ForeignKeyConstraint(
            ["connection_id"],
            ["league_connections.id"],
            name=op.f("fk_connection_deliveries_connection_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["post_id"],
            ["posts.id"],
            name=op.f("fk_connection_deliveries_post_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connection_deliveries")),
        sa.UniqueConstraint("connection_id", "post_id", name="uq_connection_deliveries_post"),
    )
    op.create_index("ix_connection_deliveries_post_id", "connection_deliveries", ["post_id"])
    op.create_index(
        "ix_connection_deliveries_waiting",
        "connection_deliveries",
        ["next_at"],
        postgresql_where=sa.text("state = 'waiting'"),
    )
    op.create_index("ix_connection_deliveries_ended_at", "connection_deliveries", ["ended_at"])


def downgrade() -> None:
    for table in ("connection_deliveries", "league_connections", "calendar_feeds", "league_news"):
        op.drop_table(table)
