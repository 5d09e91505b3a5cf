"""Tables of the audit.

Triggers refuse every UPDATE, DELETE and TRUNCATE, but that of personal parts to nothing.

The application's role may only read and add entries (app/core/postgres/roles.py); rights.py checks
that.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Index, SmallInteger
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

Model: Any = db.Model


class AuditEntry(Model):
    """Who did what to whom, when and why. `id` counts from 1 without a gap.

    `actor_id`: the member; None: nobody was signed in, or the system itself. `subject`: `kind:id`.
    `personal`: address and browser, which erasure takes away; `seal`: SHA-256 of `salt` and them,
    so that the hash holds without them.
    `hash`: of all columns but `personal` and `salt`, and of the entry before (log.entry_hash).
    """

    __tablename__ = "audit_entries"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    at: Mapped[datetime]
    act: Mapped[str]
    actor_id: Mapped[int | None] = mapped_column(BigInteger)
    subject: Mapped[str]
    reason: Mapped[str]
    details: Mapped[dict[str, Any]]
    personal: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    salt: Mapped[str | None]
    seal: Mapped[str]
    hash: Mapped[str]

    __table_args__ = (
        CheckConstraint("(personal IS NULL) = (salt IS NULL)", name="personal"),
        Index("ix_audit_entries_actor_id", "actor_id", "id"),
        Index("ix_audit_entries_subject", "subject", "id"),
        Index("ix_audit_entries_act", "act", "id"),
    )


class AuditHead(Model):
    """One row: how many entries there are, and the hash of the last.

    Its lock orders those who write entries.
    """

    __tablename__ = "audit_head"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    entries: Mapped[int] = mapped_column(BigInteger)
    hash: Mapped[str]

    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)
