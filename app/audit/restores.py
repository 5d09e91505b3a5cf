"""Records in the audit what a restore removes from it: the entries made after the backup.

The restored chain is complete in itself, so without this entry nobody could tell. Restoring is in
app/ops/backup.py.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from app.audit.acts import Act
from app.audit.log import record
from app.audit.models import AuditEntry, AuditHead
from app.core.db import db

Head = dict[str, Any]


def head() -> Head | None:
    """The number of entries and the hash of the last one; None without an audit (a new server)."""
    try:
        row = db.session.execute(select(AuditHead.entries, AuditHead.hash)).one_or_none()
        return {"entries": row.entries, "hash": row.hash} if row else None
    except SQLAlchemyError:
        return None
    finally:
        db.session.rollback()


def record_restore(backup: str, before: Head | None) -> str:
    """Add the entry of a restore; `before`: the head that it replaced.

    Returns what was lost. Does not commit.
    """
    restored = head() or {"entries": 0}
    details = {"restored": restored["entries"]} | ({"before": before} if before else {})
    record(
        Act.BACKUP_RESTORED,
        actor_id=None,
        subject=f"backup:{backup}",
        reason="pressbox restore",
        details=details,
    )
    return _gap(restored["entries"], before, backup, None)


def gaps() -> list[str]:
    """A sentence for each restore about the entries that it removed, oldest first."""
    query = (
        select(AuditEntry)
        .where(AuditEntry.act == Act.BACKUP_RESTORED.value)
        .order_by(AuditEntry.id)
    )
    sentences = []
    for entry in db.session.scalars(query):
        restored = entry.details.get("restored", entry.id - 1)
        if gap := _gap(
            restored, entry.details.get("before"), entry.subject.removeprefix("backup:"), entry.at
        ):
            sentences.append(f"Entry {entry.id}: {gap}")
    db.session.rollback()
    return sentences


def _gap(restored: int, before: Head | None, backup: str, at: datetime | None) -> str:
    until = f" and {at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if at else " and now"
    if before is None:
        return (
            f"The restore of backup {backup} left out whatever entries were made between the "
            f"backup{until}: the "
            "database that it replaced could not be read."
        )
    lost = before["entries"] - restored
    if lost <= 0:
        return ""
    return (
        f"The restore of backup {backup} dropped entries {restored + 1} to {before['entries']}, "
        "made between the "
        f"backup{until}; the last one's hash was {before['hash']}."
    )
