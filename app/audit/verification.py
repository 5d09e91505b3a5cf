"""Verifies that nobody changed, removed or inserted entries of the audit."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import select

from app.audit.log import entry_hash, seal_of
from app.audit.models import AuditEntry, AuditHead
from app.audit.restores import gaps
from app.core.db import db

BATCH = 1_000  # entries in memory at once


@dataclass
class Verified:
    """The result. `faults`: a sentence for each break in the chain, in order.

    `gaps`: a sentence for each restore that removed entries, according to the chain. `hash`: of the
    last entry.
    """

    entries: int = 0
    hash: str = ""
    faults: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)


def verify() -> Verified:
    """Recompute the chain from the first entry to the last, in one snapshot."""
    db.session.rollback()
    db.session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
    result, last_id = Verified(), 0
    while batch := _after(last_id):
        for entry in batch:
            if entry.id != last_id + 1:
                result.faults.append(f"Entries {last_id + 1} to {entry.id - 1} were removed.")
            result.faults += _faults(entry, result.hash)
            result.entries, result.hash, last_id = result.entries + 1, entry.hash, entry.id
        db.session.expunge_all()
    head = db.session.execute(select(AuditHead.entries, AuditHead.hash)).one_or_none()
    db.session.rollback()
    if (last_id, result.hash) != (0, "") and head is None:
        result.faults.append("The head of the chain was removed.")
    elif head is not None and (head.entries, head.hash) != (last_id, result.hash):
        result.faults.append(
            f"The chain ends at entry {last_id}, but its head says {head.entries}: the end was "
            "tampered with."
        )
    result.gaps = gaps()
    return result


def _after(last_id: int) -> list[AuditEntry]:
    query = select(AuditEntry).where(AuditEntry.id > last_id).order_by(AuditEntry.id).limit(BATCH)
    return list(db.session.scalars(query.execution_options(populate_existing=True)))


def _faults(entry: AuditEntry, before: str) -> list[str]:
    label = f"Entry {entry.id} ({entry.act}, {entry.at:%Y-%m-%d %H:%M:%S} UTC)"
    faults = []
    if entry_hash(entry, before) != entry.hash:
        faults.append(f"{label} was changed or inserted, or an earlier entry was.")
    if (
        entry.personal is not None
        and entry.salt is not None
        and seal_of(entry.personal, entry.salt) != entry.seal
    ):
        faults.append(f"{label}: its address or browser was changed.")
    return faults
