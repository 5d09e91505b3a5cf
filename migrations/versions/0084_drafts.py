"""Drafts: seats, events, standing picks, queues

Revision ID: 0084
Revises: 0083
Create Date: 2026-11-27 16:10:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0084"
down_revision = "0083"
branch_labels = None
depends_on = None

TABLES = ("draft_queues", "draft_picks", "draft_events", "draft_seats", "drafts")
# An erased member is forgotten; a draft that is deleted takes its events along.
APPEND_ONLY = """
    CREATE FUNCTION guard_draft_events() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' THEN
        IF NEW.by_member_id IS NULL
           AND to_jsonb(NEW) - 'by_member_id' = to_jsonb(OLD) - 'by_member_id' THEN
          RETURN NEW;
        END IF;
      ELSIF NOT EXISTS (SELECT FROM drafts WHERE id = OLD.draft_id) THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'events of a draft are never changed: undo them' USING ERRCODE = '55000';
    END $$;
    CREATE TRIGGER guard_draft_events BEFORE UPDATE OR DELETE ON draft_events
    FOR EACH ROW EXECUTE FUNCTION guard_draft_events();
"""


def upgrade() -> None:
    _create_drafts()
    _create_seats()
    _create_events()
    op.create_table(
        "draft_picks",
        _draft_id(),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("franchise", sa.SmallInteger(), nullable=False),
        _of_draft("draft_picks"),
        sa.ForeignKeyConstraint(
            ["footballer_id"], ["footballers.id"], name=op.f("fk_draft_picks_footballer_id")
        ),
        sa.PrimaryKeyConstraint("draft_id", "footballer_id", name=op.f("pk_draft_picks")),
    )
    op.create_index("uq_draft_picks_number", "draft_picks", ["draft_id", "number"], unique=True)
    op.create_index("ix_draft_picks_footballer_id", "draft_picks", ["footballer_id"])
    op.create_table(
        "draft_queues",
        _draft_id(),
        sa.Column("franchise", sa.SmallInteger(), nullable=False),
        sa.Column(
            "footballer_ids", postgresql.ARRAY(sa.TEXT()), server_default="{}", nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["draft_id", "franchise"],
            ["draft_seats.draft_id", "draft_seats.franchise"],
            name=op.f("fk_draft_queues_seat"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("draft_id", "franchise", name=op.f("pk_draft_queues")),
    )
    op.execute(APPEND_ONLY)


def _create_drafts() -> None:
    op.create_table(
        "drafts",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=True),
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("plan", postgresql.JSONB(), nullable=False),
        sa.Column("status", sa.String(), server_default="waiting", nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lottery_seed", sa.String(), nullable=True),
        sa.Column("drawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_by", sa.BigInteger(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "status in ('waiting', 'running', 'paused', 'completed')", name=op.f("ck_drafts_status")
        ),
        sa.CheckConstraint("version >= 0", name=op.f("ck_drafts_version")),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_drafts_league_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name=op.f("fk_drafts_season_id")),
        sa.ForeignKeyConstraint(
            ["created_by"], ["members.id"], name=op.f("fk_drafts_created_by"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drafts")),
    )
    op.create_index("uq_drafts_league_id", "drafts", ["league_id"], unique=True)
    op.create_index("ix_drafts_season_id", "drafts", ["season_id"])
    op.create_index("ix_drafts_created_by", "drafts", ["created_by"])
    op.create_index(
        "ix_drafts_due_at", "drafts", ["due_at"], postgresql_where=sa.text("due_at IS NOT NULL")
    )


def _create_seats() -> None:
    op.create_table(
        "draft_seats",
        _draft_id(),
        sa.Column("franchise", sa.SmallInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("franchise BETWEEN 1 AND 32", name=op.f("ck_draft_seats_franchise")),
        _of_draft("draft_seats"),
        _of_member("draft_seats", "member_id"),
        sa.PrimaryKeyConstraint("draft_id", "franchise", name=op.f("pk_draft_seats")),
    )
    op.create_index(
        "uq_draft_seats_member_id", "draft_seats", ["draft_id", "member_id"], unique=True
    )
    op.create_index("ix_draft_seats_member_id", "draft_seats", ["member_id"])


def _create_events() -> None:
    op.create_table(
        "draft_events",
        _draft_id(),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("body", postgresql.JSONB(), nullable=False),
        sa.Column("by_member_id", sa.BigInteger(), nullable=True),
        sa.Column("token", sa.String(), nullable=True),
        sa.CheckConstraint("number > 0", name=op.f("ck_draft_events_number")),
        sa.CheckConstraint("length(token) <= 40", name=op.f("ck_draft_events_token")),
        _of_draft("draft_events"),
        _of_member("draft_events", "by_member_id"),
        sa.PrimaryKeyConstraint("draft_id", "number", name=op.f("pk_draft_events")),
    )
    op.create_index("uq_draft_events_token", "draft_events", ["draft_id", "token"], unique=True)
    op.create_index("ix_draft_events_by_member_id", "draft_events", ["by_member_id"])


def _draft_id() -> sa.Column[int]:
    return sa.Column("draft_id", sa.BigInteger(), nullable=False)


def _of_draft(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["draft_id"], ["drafts.id"], name=op.f(f"fk_{table}_draft_id"), ondelete="CASCADE"
    )


def _of_member(table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], ["members.id"], name=op.f(f"fk_{table}_{column}"), ondelete="SET NULL"
    )


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
    op.execute("DROP FUNCTION guard_draft_events")
