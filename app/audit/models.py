"""Tables of the audit.

Triggers refuse every UPDATE, DELETE and TRUNCATE, except removing personal parts. The application's
role may only read and add entries (app/core/postgres/roles.py); rights.py checks that.
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
    """Who did what to whom, when and why. `id` counts from 1 without gaps.

    `actor_id`: the member, None for the system or somebody not signed in. `subject`: `kind:id`.
    `personal`: address and browser, which an erasure removes. `seal`: SHA-256 of `salt` and
    `personal`, so that the hash stays valid without them. `hash`: of all columns except `personal`
    and `salt`, and of the entry before (log.entry_hash).
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
    """A single row with the number of entries and the hash of the last one.

    Its lock orders those who write entries.
    """

    __tablename__ = "audit_head"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    entries: Mapped[int] = mapped_column(BigInteger)
    hash: Mapped[str]

    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)
