"""Trades: offers, their events, the trade block

Revision ID: 0090
Revises: 0089
Create Date: 2026-11-27 16:55:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0090"
down_revision = "0089"
branch_labels = None
depends_on = None

STATUSES = (
    "'offered', 'declined', 'withdrawn', 'countered', 'expired', 'in_review', 'stopped', "
    "'executed', 'failed'"
)
# An erased member is forgotten; a trade that is deleted takes its events along.
APPEND_ONLY = """
    CREATE FUNCTION guard_trade_events() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' THEN
        IF NEW.by_member_id IS NULL
           AND to_jsonb(NEW) - 'by_member_id' = to_jsonb(OLD) - 'by_member_id' THEN
          RETURN NEW;
        END IF;
      ELSIF NOT EXISTS (SELECT FROM trades WHERE id = OLD.trade_id) THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'events of a trade are never changed: add another' USING ERRCODE = '55000';
    END $$;
    CREATE TRIGGER guard_trade_events BEFORE UPDATE OR DELETE ON trade_events
    FOR EACH ROW EXECUTE FUNCTION guard_trade_events();
"""


def upgrade() -> None:
    _create_trades()
    op.create_table(
        "trade_events",
        sa.Column("trade_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", postgresql.JSONB(), nullable=False),
        sa.Column("by_member_id", sa.BigInteger(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("number > 0", name=op.f("ck_trade_events_number")),
        sa.ForeignKeyConstraint(
            ["trade_id"], ["trades.id"], name=op.f("fk_trade_events_trade_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["by_member_id"],
            ["members.id"],
            name=op.f("fk_trade_events_by_member_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("trade_id", "number", name=op.f("pk_trade_events")),
    )
    op.create_index("ix_trade_events_by_member_id", "trade_events", ["by_member_id"])
    op.execute(APPEND_ONLY)
    _create_block()


def _create_trades() -> None:
    op.create_table(
        "trades",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("franchise", sa.SmallInteger(), nullable=False),
        sa.Column("franchises", postgresql.ARRAY(sa.SmallInteger()), nullable=False),
        sa.Column("terms", postgresql.JSONB(), nullable=False),
        sa.Column("message", sa.String(), server_default="", nullable=False),
        sa.Column("counter_to", sa.BigInteger(), nullable=True),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("offered_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("length(token) <= 40", name=op.f("ck_trades_token")),
        sa.CheckConstraint("length(message) <= 500", name=op.f("ck_trades_message")),
        sa.CheckConstraint(f"status in ({STATUSES})", name=op.f("ck_trades_status")),
        _of_franchise("trades"),
        sa.ForeignKeyConstraint(
            ["counter_to"], ["trades.id"], name=op.f("fk_trades_counter_to"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trades")),
        sa.UniqueConstraint("league_id", "token", name=op.f("uq_trades_token")),
    )
    op.create_index(
        "ix_trades_due_at", "trades", ["due_at"], postgresql_where=sa.text("due_at IS NOT NULL")
    )
    op.create_index("ix_trades_counter_to", "trades", ["counter_to"])


def _create_block() -> None:
    op.create_table(
        "trade_block_entries",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("franchise", sa.SmallInteger(), nullable=False),
        sa.Column("note", sa.String(), server_default="", nullable=False),
        sa.Column("listed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("length(note) <= 100", name=op.f("ck_trade_block_entries_note")),
        _of_franchise("trade_block_entries"),
        sa.ForeignKeyConstraint(
            ["footballer_id"], ["footballers.id"], name=op.f("fk_trade_block_entries_footballer_id")
        ),
        sa.PrimaryKeyConstraint("league_id", "footballer_id", name=op.f("pk_trade_block_entries")),
    )
    op.create_index(
        "ix_trade_block_entries_franchise", "trade_block_entries", ["league_id", "franchise"]
    )
    op.create_index(
        "ix_trade_block_entries_footballer_id", "trade_block_entries", ["footballer_id"]
    )


def _of_franchise(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["league_id", "franchise"],
        ["franchises.league_id", "franchises.number"],
        name=op.f(f"fk_{table}_franchise"),
        ondelete="CASCADE",
    )


def downgrade() -> None:
    op.drop_table("trade_block_entries")
    op.drop_table("trade_events")
    op.execute("DROP FUNCTION guard_trade_events()")
    op.drop_table("trades")
