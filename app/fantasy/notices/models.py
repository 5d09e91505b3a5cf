"""The tables of notices.

What members read here, what they want outside of Pressbox, and what is on its way there.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TEXT
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model

NOTICES = (
    "deadline",
    "result",
    "correction",
    "rules",
    "adjustment",
    "league",
    "prediction",
    "operations",
    "moderation",
    "friend",
)
OUTSIDE = ("deadline", "result", "correction")  # kinds that may be pushed and mailed
STATES = ("waiting", "sending", "sent", "failed", "unknown", "dropped")
_ARRAY = f"ARRAY[{', '.join(repr(kind) for kind in OUTSIDE)}]"


class Notice(Model):
    """A notice to a member. `key` names the cause, once a member: storing it again changes nothing.

    `delta`: by how much a total of theirs changed, thousandths. `path`: the page that shows it.
    `names`: footballers whom the body names, id to name as it stands there.
    """

    __tablename__ = "notices"

    id: Mapped[BigId]
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    kind: Mapped[str]
    key: Mapped[str]
    title: Mapped[str]
    body: Mapped[str]
    path: Mapped[str]
    delta: Mapped[int | None]
    names: Mapped[dict[str, str]] = mapped_column(JSONB, server_default=text("'{}'::jsonb"))
    created_at: Mapped[datetime]
    read_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("member_id", "key", name="uq_notices_key"),
        Index("ix_notices_member_id", "member_id", text("created_at DESC"), text("id DESC")),
        Index("ix_notices_unread", "member_id", "id", postgresql_where=text("read_at IS NULL")),
        CheckConstraint(f"kind in {NOTICES}", name="kind"),
    )


class NoticeChoice(Model):
    """Which kinds of notices a member wants outside of Pressbox too, by push and by mail.

    Without a row: none.
    """

    __tablename__ = "notice_choices"

    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    push: Mapped[list[str]] = mapped_column(ARRAY(TEXT))
    mail: Mapped[list[str]] = mapped_column(ARRAY(TEXT))

    __table_args__ = (
        CheckConstraint(f"push <@ {_ARRAY}", name="push"),
        CheckConstraint(f"mail <@ {_ARRAY}", name="mail"),
    )


class NoticeDelivery(Model):
    """A notice on its way to a device, or to the member's address (`device_id` empty).

    Stored with the notice.

    `service`: the push service's host, or `mail`; those of one service wait for each other.
    `state`: waiting; sending since before the first byte left; sent; failed: refused, or tried for
    the last time; unknown: cut off while it was sent, so it is not sent again; dropped: not wanted
    any more when its turn came. `next_at`: when a waiting one is tried, and until when one that is
    sending may take. `failed_at`: when the service last failed to take it.
    """

    __tablename__ = "notice_deliveries"

    id: Mapped[BigId]
    notice_id: Mapped[int] = mapped_column(ForeignKey("notices.id", ondelete="CASCADE"))
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    device_id: Mapped[int | None] = mapped_column(ForeignKey("push_devices.id", ondelete="CASCADE"))
    service: Mapped[str]
    state: Mapped[str] = mapped_column(server_default="waiting")
    tries: Mapped[int] = mapped_column(server_default="0")
    next_at: Mapped[datetime]
    made_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]
    reason: Mapped[str | None]

    __table_args__ = (
        UniqueConstraint("notice_id", "device_id", name="uq_notice_deliveries_device"),
        Index(
            "uq_notice_deliveries_mail",
            "notice_id",
            unique=True,
            postgresql_where=text("device_id IS NULL"),
        ),
        Index("ix_notice_deliveries_member_id", "member_id"),
        Index("ix_notice_deliveries_device_id", "device_id"),
        Index(
            "ix_notice_deliveries_open",
            "service",
            "next_at",
            "id",
            postgresql_where=text("ended_at IS NULL"),
        ),
        Index("ix_notice_deliveries_ended_at", "ended_at"),
        Index(
            "ix_notice_deliveries_failed_at",
            "failed_at",
            postgresql_where=text("failed_at IS NOT NULL"),
        ),
        CheckConstraint(f"state in {STATES}", name="state"),
        CheckConstraint("(state IN ('waiting', 'sending')) = (ended_at IS NULL)", name="ended_at"),
    )


class DeadlineReminder(Model):
    """That members were reminded of a deadline a `day` or an `hour` before it.

    Once, and again if it moves.
    """

    __tablename__ = "deadline_reminders"

    team_rules_id: Mapped[int] = mapped_column(
        ForeignKey("team_rules.id", ondelete="CASCADE"), primary_key=True
    )
    gameweek_id: Mapped[int] = mapped_column(
        ForeignKey("gameweeks.id", ondelete="CASCADE"), primary_key=True
    )
    stage: Mapped[str] = mapped_column(primary_key=True)
    locks_at: Mapped[datetime] = mapped_column(primary_key=True)
    reminded_at: Mapped[datetime]

    __table_args__ = (CheckConstraint("stage in ('day', 'hour')", name="stage"),)
