"""Reads the audit, filtered and newest first."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, select

from app.audit.models import AuditEntry
from app.core.db import db


@dataclass(frozen=True)
class Wanted:
    """Criteria for entries; None matches all. `since` is inclusive, `until` is not."""

    acts: Collection[str] | None = None
    actor_id: int | None = None
    subject: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def page(criteria: Wanted, number: int, rows: int) -> tuple[list[AuditEntry], int]:
    """The page with this number (from 1) and so many rows, newest first, and the total count."""
    query = _query(criteria)
    total = db.session.scalar(select(func.count()).select_from(query.subquery())) or 0
    newest_first = query.order_by(AuditEntry.id.desc()).limit(rows).offset((number - 1) * rows)
    return list(db.session.scalars(newest_first)), total


def every(criteria: Wanted) -> Iterator[AuditEntry]:
    """All matching entries, oldest first, read in batches."""
    yield from db.session.scalars(
        _query(criteria).order_by(AuditEntry.id).execution_options(yield_per=1_000)
    )


def _query(criteria: Wanted) -> Select[AuditEntry]:
    query = select(AuditEntry)
    if criteria.acts is not None:
        query = query.where(AuditEntry.act.in_(criteria.acts))
    if criteria.actor_id is not None:
        query = query.where(AuditEntry.actor_id == criteria.actor_id)
    if criteria.subject is not None:
        query = query.where(AuditEntry.subject == criteria.subject)
    if criteria.since is not None:
        query = query.where(AuditEntry.at >= criteria.since)
    if criteria.until is not None:
        query = query.where(AuditEntry.at < criteria.until)
    return query
