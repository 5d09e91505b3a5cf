"""Reading the audit: filtered, newest first."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, select

from app.audit.models import AuditEntry
from app.core.db import db


@dataclass(frozen=True)
class Wanted:
    """None: whatever. `acts`: one of these. `since` is included, `until` is not."""

    acts: Collection[str] | None = None
    actor_id: int | None = None
    subject: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def page(wanted: Wanted, number: int, rows: int) -> tuple[list[AuditEntry], int]:
    """The page with this number (from 1) of so many rows, newest first.

    And how many entries there are in all.
    """
    query = _query(wanted)
    total = db.session.scalar(select(func.count()).select_from(query.subquery())) or 0
    newest_first = query.order_by(AuditEntry.id.desc()).limit(rows).offset((number - 1) * rows)
    return list(db.session.scalars(newest_first)), total


def every(wanted: Wanted) -> Iterator[AuditEntry]:
    """All of them, oldest first, read in parts."""
    yield from db.session.scalars(
        _query(wanted).order_by(AuditEntry.id).execution_options(yield_per=1_000)
    )


def _query(wanted: Wanted) -> Select[AuditEntry]:
    query = select(AuditEntry)
    if wanted.acts is not None:
        query = query.where(AuditEntry.act.in_(wanted.acts))
    if wanted.actor_id is not None:
        query = query.where(AuditEntry.actor_id == wanted.actor_id)
    if wanted.subject is not None:
        query = query.where(AuditEntry.subject == wanted.subject)
    if wanted.since is not None:
        query = query.where(AuditEntry.at >= wanted.since)
    if wanted.until is not None:
        query = query.where(AuditEntry.at < wanted.until)
    return query
