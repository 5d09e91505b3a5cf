"""Who may sign in."""

from __future__ import annotations

from datetime import datetime

from flask_login import UserMixin
from sqlalchemy import CheckConstraint, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from app.accounts.rules import ROLES
from app.core.db import BigId, CreatedAt, db


class Member(UserMixin, db.Model):  # type: ignore[name-defined]
    """A person with an account. Names are unique whatever their case."""

    __tablename__ = "members"

    id: Mapped[BigId]
    username: Mapped[str]
    display_name: Mapped[str]
    password_hash: Mapped[str]
    role: Mapped[str]
    created_at: Mapped[CreatedAt]

    __table_args__ = (
        Index("uq_members_username", text("lower(username)"), unique=True),
        CheckConstraint(f"role in {ROLES}", name="role"),
    )


class EndedSession(db.Model):  # type: ignore[name-defined]
    """A session that was signed out. Its cookie may still turn up (a late answer, a copy) and is worth nothing."""

    __tablename__ = "ended_sessions"

    id: Mapped[str] = mapped_column(primary_key=True)
    ended_at: Mapped[datetime]
