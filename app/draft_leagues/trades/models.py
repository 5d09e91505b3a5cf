"""Tables of trades. All of it is truth, but for what Trade says is derived."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    SmallInteger,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model


class Trade(Model):
    """A trade that somebody offered.

    Attributes:
        franchises: Everybody who gives or gets something.
        terms: As in terms.Terms.
        message: From whoever offers to the others.
        counter_to: The offer that this one answers.
        token: The key of the act (`act_tokens`), so that a repeated submission counts once.
        expires_at: Until when the offer stands; None for no end.
        status: Derived from the events: rules.State.status.
        due_at: Derived: when a rule ends the offer or the review.
    """

    __tablename__ = "trades"

    id: Mapped[BigId]
    league_id: Mapped[int] = mapped_column(BigInteger)
    franchise: Mapped[int] = mapped_column(SmallInteger)
    franchises: Mapped[list[int]] = mapped_column(ARRAY(SmallInteger))
    terms: Mapped[dict[str, Any]] = mapped_column(JSONB)
    message: Mapped[str] = mapped_column(server_default="")
    counter_to: Mapped[int | None] = mapped_column(ForeignKey("trades.id", ondelete="CASCADE"))
    token: Mapped[str | None]
    offered_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    status: Mapped[str]
    due_at: Mapped[datetime | None]

    __table_args__ = (
        ForeignKeyConstraint(
            ["league_id", "franchise"],
            ["franchises.league_id", "franchises.number"],
            name="fk_trades_franchise",
            ondelete="CASCADE",
        ),
        UniqueConstraint("league_id", "token", name="uq_trades_token"),
        Index("ix_trades_due_at", "due_at", postgresql_where=text("due_at IS NOT NULL")),
        Index("ix_trades_counter_to", "counter_to"),
        Index(
            "ix_trades_open",
            "league_id",
            postgresql_where=text("status IN ('offered', 'in_review')"),
        ),
        CheckConstraint("length(token) <= 100", name="token"),
        CheckConstraint("length(message) <= 500", name="message"),
        CheckConstraint(
            "status in ('offered', 'declined', 'withdrawn', 'countered', 'expired', 'in_review', "
            "'stopped', 'executed', 'failed', 'impossible')",
            name="status",
        ),
    )


class TradeEvent(Model):
    """Something that happened to a trade, append-only: a trigger refuses changes.

    `number`: from 1 in each trade. `body`: as in rules.Event.
    """

    __tablename__ = "trade_events"

    trade_id: Mapped[int] = mapped_column(
        ForeignKey("trades.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    body: Mapped[dict[str, Any]] = mapped_column(JSONB)
    by_member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id", ondelete="SET NULL"))
    made_at: Mapped[datetime]

    __table_args__ = (
        Index("ix_trade_events_by_member_id", "by_member_id"),
        CheckConstraint("number > 0", name="number"),
    )


class TradeBlockEntry(Model):
    """A footballer whom a franchise would trade. It counts while they are on its roster."""

    __tablename__ = "trade_block_entries"

    league_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    footballer_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"), primary_key=True)
    franchise: Mapped[int] = mapped_column(SmallInteger)
    note: Mapped[str] = mapped_column(server_default="")
    listed_at: Mapped[datetime]

    __table_args__ = (
        ForeignKeyConstraint(
            ["league_id", "franchise"],
            ["franchises.league_id", "franchises.number"],
            name="fk_trade_block_entries_franchise",
            ondelete="CASCADE",
        ),
        Index("ix_trade_block_entries_franchise", "league_id", "franchise"),
        Index("ix_trade_block_entries_footballer_id", "footballer_id"),
        CheckConstraint("length(note) <= 100", name="note"),
    )
