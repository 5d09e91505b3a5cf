"""The tables of notices, choices and deliveries; of news of leagues, and of calendars."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, text
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
    "mention",
    "draft",
)
OUTSIDE = (
    "deadline",
    "result",
    "correction",
    "mention",
    "draft",
)  # kinds that may be pushed and mailed
STATES = ("waiting", "sending", "sent", "failed", "unknown", "dropped")
_ARRAY = f"ARRAY[{', '.join(repr(kind) for kind in OUTSIDE)}]"


class Notice(Model):
    """A notice to a member.

    Attributes:
        key: Names the cause, once per member: storing it again changes nothing.
        path: The page that shows the cause.
        delta: By how much a total of the member changed, in thousandths.
        names: The footballers whom the body names, by id.
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
    """The kinds of notices that a member wants pushed and mailed; none without a row."""

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
    """A notice to be sent to a device, or mailed if `device_id` is empty. Stored with the notice.

    Attributes:
        service: The host of the push service, or `mail`; deliveries of one service wait for each
            other.
        state: waiting; sending (set before the first byte leaves); sent; failed (refused, or tried
            for the last time); unknown (cut off while it was sent, so it is not sent again);
            dropped (no longer wanted).
        next_at: When a waiting delivery is tried, or how long one may take to be sent.
        failed_at: When the service last did not take it.
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
    """A reminder of a deadline a `day` or an `hour` before; another one if the deadline moves."""

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


class LeagueNews(Model):
    """Something that happened in a league and is still to be posted there (app/talk/news.py).

    `ref`: whom or what it is about (news.py).
    """

    __tablename__ = "league_news"

    id: Mapped[BigId]
    league_id: Mapped[int] = mapped_column(ForeignKey("leagues.id", ondelete="CASCADE"))
    kind: Mapped[str]
    ref: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint("league_id", "kind", "ref", name="uq_league_news_ref"),
        CheckConstraint("kind in ('joined', 'rules', 'result', 'corrected')", name="kind"),
    )


class CalendarFeed(Model):
    """A member's calendar at a secret address (calendar_feed.py).

    Attributes:
        version: Of the address; a new one ends all older addresses.
        withdrawn_at: Since when there is no address.
        entries: By UID: digest, sequence number and last change of what was sent.
    """

    __tablename__ = "calendar_feeds"

    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    version: Mapped[int] = mapped_column(server_default="1")
    withdrawn_at: Mapped[datetime | None]
    entries: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'::jsonb"))
