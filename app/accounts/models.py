"""Who may sign in."""

from __future__ import annotations

from flask_login import UserMixin
from sqlalchemy import CheckConstraint, Index, text
from sqlalchemy.orm import Mapped

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
