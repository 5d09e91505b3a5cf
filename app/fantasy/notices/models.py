"""The table of notices."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model

NOTICES = ("deadline", "result", "correction", "rules", "adjustment", "league", "prediction", "operations")


class Notice(Model):
    """A notice to a member. `key` names the cause, once a member: storing it again changes nothing.

    `delta`: by how much a total of theirs changed, thousandths. `path`: the page that shows it.
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
    created_at: Mapped[datetime]
    read_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("member_id", "key", name="uq_notices_key"),
        Index("ix_notices_member_id", "member_id", text("created_at DESC"), text("id DESC")),
        Index("ix_notices_unread", "member_id", "id", postgresql_where=text("read_at IS NULL")),
        CheckConstraint(f"kind in {NOTICES}", name="kind"),
    )
