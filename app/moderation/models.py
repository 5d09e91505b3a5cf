"""Tables of moderation: sanctions, rollbacks, freezes, reports, appeals and notes.

A row is never deleted; its end is written into it. The audit is in app/audit.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model


class Sanction(Model):
    """A ban, a suspension until `ends_at`, or a shadow ban.

    It stands while `lifted_at` is empty; at most one per player does. Without `imposed_by` or
    `lifted_by` it was done by the scheduler or a command. Since `shown_at` Redis and tournaments
    agree with it.
    """

    __tablename__ = "sanctions"

    id: Mapped[BigId]
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    kind: Mapped[str]
    reason: Mapped[str]
    imposed_by: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    imposed_at: Mapped[datetime]
    ends_at: Mapped[datetime | None]
    lifted_by: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    lifted_at: Mapped[datetime | None]
    lift_reason: Mapped[str | None]
    shown_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("kind in ('ban', 'suspension', 'shadow')", name="kind"),
        CheckConstraint("(kind = 'suspension') = (ends_at IS NOT NULL)", name="ends_at"),
        Index("ix_sanctions_player_id", "player_id"),
        Index(
            "uq_sanctions_standing",
            "player_id",
            unique=True,
            postgresql_where=sql("lifted_at IS NULL"),
        ),
        Index("ix_sanctions_unshown", "id", postgresql_where=sql("shown_at IS NULL")),
    )


class Rollback(Model):
    """Many attempts taken back in one step, which count again since `undone_at`.

    `selection` says which (selection.py). `moved` is the number of ranks that changed on all
    boards. Since `shown_at` Redis agrees with it.
    """

    __tablename__ = "rollbacks"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    selection: Mapped[dict[str, Any]]
    reason: Mapped[str]
    made_by: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    made_at: Mapped[datetime]
    attempts: Mapped[int]
    players: Mapped[int]
    moved: Mapped[int] = mapped_column(BigInteger)
    undone_by: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    undone_at: Mapped[datetime | None]
    undo_reason: Mapped[str | None]
    shown_at: Mapped[datetime | None]

    __table_args__ = (
        Index("ix_rollbacks_unshown", "made_at", postgresql_where=sql("shown_at IS NULL")),
    )


class BoardFreeze(Model):
    """A public board shown as it was at `frozen_at`, until `thawed_at`."""

    __tablename__ = "board_freezes"

    id: Mapped[BigId]
    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id", ondelete="CASCADE"))
    reason: Mapped[str]
    frozen_by: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    frozen_at: Mapped[datetime]
    thawed_by: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    thawed_at: Mapped[datetime | None]

    __table_args__ = (
        Index(
            "uq_board_freezes_standing",
            "board_id",
            unique=True,
            postgresql_where=sql("thawed_at IS NULL"),
        ),
    )


class Report(Model):
    """A member's report about a player: the name, cheating, a post, something else.

    `post_id`: the post; the text of the report quotes it, because its author may delete it.
    """

    __tablename__ = "reports"

    id: Mapped[BigId]
    reporter_id: Mapped[int] = mapped_column(ForeignKey("members.id"))
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    kind: Mapped[str]
    post_id: Mapped[int | None] = mapped_column(ForeignKey("posts.id", ondelete="SET NULL"))
    text: Mapped[str]
    created_at: Mapped[datetime]
    closed_by: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    closed_at: Mapped[datetime | None]
    outcome: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("kind in ('name', 'cheating', 'other', 'post')", name="kind"),
        Index("ix_reports_player_id", "player_id"),
        Index("ix_reports_post_id", "post_id"),
        Index(
            "uq_reports_open",
            "reporter_id",
            "player_id",
            "kind",
            sql("coalesce(post_id, 0)"),
            unique=True,
            postgresql_where=sql("closed_at IS NULL"),
        ),
    )


class Appeal(Model):
    """A player's appeal against a sanction or a decision about a score; one open per decision."""

    __tablename__ = "appeals"

    id: Mapped[BigId]
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    sanction_id: Mapped[int | None] = mapped_column(ForeignKey("sanctions.id", ondelete="CASCADE"))
    event_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("score_attempt_keys.event_id", ondelete="CASCADE")
    )
    text: Mapped[str]
    created_at: Mapped[datetime]
    decided_by: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    decided_at: Mapped[datetime | None]
    granted: Mapped[bool | None]
    answer: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("num_nonnulls(sanction_id, event_id) = 1", name="about"),
        CheckConstraint("num_nulls(decided_at, granted, answer) in (0, 3)", name="decided"),
        Index("ix_appeals_player_id", "player_id"),
        Index(
            "uq_appeals_sanction",
            "sanction_id",
            unique=True,
            postgresql_where=sql("decided_at IS NULL"),
        ),
        Index(
            "uq_appeals_event", "event_id", unique=True, postgresql_where=sql("decided_at IS NULL")
        ),
    )


class AccountNote(Model):
    """A moderator's note about an account, which only moderators see."""

    __tablename__ = "account_notes"

    id: Mapped[BigId]
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    written_by: Mapped[int] = mapped_column(ForeignKey("members.id"))
    text: Mapped[str]
    created_at: Mapped[datetime]

    __table_args__ = (Index("ix_account_notes_player_id", "player_id"),)
