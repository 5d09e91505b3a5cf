"""Tables of drafts.

Truth: DraftRow, DraftSeat, DraftEvent, DraftQueue. Derived from the events, and written with them:
DraftPick, and of DraftRow `status`, `version` and `due_at`.
"""

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
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TEXT
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model

STATUSES = ("waiting", "running", "paused", "completed")
_DRAFT_ID = "drafts.id"


class DraftRow(Model):
    """A draft of a league, or a mock draft. Its row is the lock under which everything happens.

    Attributes:
        league_id: None for a mock draft.
        name: What its pages are called.
        plan: As in plan.DraftPlan.
        starts_at: When it begins by itself; None if the commissioner starts it.
        version: How many events there are.
        due_at: When the clock decides next.
        lottery_seed: Secret until `drawn_at`; None without a lottery.
    """

    __tablename__ = "drafts"

    id: Mapped[BigId]
    league_id: Mapped[int | None] = mapped_column(ForeignKey("leagues.id", ondelete="CASCADE"))
    season_id: Mapped[int] = mapped_column(ForeignKey("seasons.id"))
    name: Mapped[str]
    plan: Mapped[dict[str, Any]] = mapped_column(JSONB)
    status: Mapped[str] = mapped_column(server_default="waiting")
    starts_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(server_default="0")
    due_at: Mapped[datetime | None]
    lottery_seed: Mapped[str | None]
    drawn_at: Mapped[datetime | None]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("members.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]

    __table_args__ = (
        Index("uq_drafts_league_id", "league_id", unique=True),
        Index("ix_drafts_season_id", "season_id"),
        Index("ix_drafts_created_by", "created_by"),
        Index("ix_drafts_due_at", "due_at", postgresql_where=text("due_at IS NOT NULL")),
        CheckConstraint(f"status in {STATUSES}", name="status"),
        CheckConstraint("version >= 0", name="version"),
    )


class DraftSeat(Model):
    """A franchise at the draft: its name, and the member who drafts for it, if anybody does."""

    __tablename__ = "draft_seats"

    draft_id: Mapped[int] = mapped_column(
        ForeignKey(_DRAFT_ID, ondelete="CASCADE"), primary_key=True
    )
    franchise: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    name: Mapped[str]
    member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id", ondelete="SET NULL"))

    __table_args__ = (
        Index("uq_draft_seats_member_id", "draft_id", "member_id", unique=True),
        Index("ix_draft_seats_member_id", "member_id"),
        CheckConstraint("franchise BETWEEN 1 AND 32", name="franchise"),
    )


class DraftEvent(Model):
    """Something that happened, append-only: triggers refuse changes.

    `number`: from 1 in each draft. `body`: as in events.py. `token`: the key of the act
    (`act_tokens`), so that a repeated submission counts once.
    """

    __tablename__ = "draft_events"

    draft_id: Mapped[int] = mapped_column(
        ForeignKey(_DRAFT_ID, ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    body: Mapped[dict[str, Any]] = mapped_column(JSONB)
    by_member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id", ondelete="SET NULL"))
    token: Mapped[str | None]

    __table_args__ = (
        Index("uq_draft_events_token", "draft_id", "token", unique=True),
        Index("ix_draft_events_by_member_id", "by_member_id"),
        CheckConstraint("number > 0", name="number"),
        CheckConstraint("length(token) <= 100", name="token"),
    )


class DraftPick(Model):
    """A pick that stands. The primary key keeps a footballer from being drafted twice."""

    __tablename__ = "draft_picks"

    draft_id: Mapped[int] = mapped_column(
        ForeignKey(_DRAFT_ID, ondelete="CASCADE"), primary_key=True
    )
    footballer_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"), primary_key=True)
    number: Mapped[int]
    franchise: Mapped[int] = mapped_column(SmallInteger)

    __table_args__ = (
        Index("uq_draft_picks_number", "draft_id", "number", unique=True),
        Index("ix_draft_picks_footballer_id", "footballer_id"),
    )


class DraftQueue(Model):
    """Whom a franchise wants, the first first."""

    __tablename__ = "draft_queues"

    draft_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    franchise: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    footballer_ids: Mapped[list[str]] = mapped_column(ARRAY(TEXT), server_default="{}")

    __table_args__ = (
        ForeignKeyConstraint(
            ["draft_id", "franchise"],
            ["draft_seats.draft_id", "draft_seats.franchise"],
            name="fk_draft_queues_seat",
            ondelete="CASCADE",
        ),
    )
