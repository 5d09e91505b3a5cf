"""Writing the audit. Not here: reading it (queries.py), verifying it (verification.py).

Entries are chained: each one's hash is keyed with a secret of the installation and covers the entry
before, so that whoever can write to the database but does not know the secret can change, remove or
insert nothing unseen.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any

import structlog
from flask import current_app, has_request_context, request
from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert

from app.audit.acts import Act
from app.audit.models import AuditEntry, AuditHead
from app.core import clock
from app.core.db import db
from app.settings import Settings

log = structlog.get_logger(__name__)

LONGEST_BROWSER = 300


def record(
    act: Act,
    *,
    actor_id: int | None,
    subject: str = "",
    reason: str = "",
    details: Mapping[str, Any] | None = None,
) -> None:
    """Adds an entry within the caller's transaction; does not commit.

    Call it last: until the commit everybody else who adds one waits. In a request it notes where
    from.
    """
    db.session.execute(insert(AuditHead).values(id=1, entries=0, hash="").on_conflict_do_nothing())
    head = db.session.execute(select(AuditHead.entries, AuditHead.hash).with_for_update()).one()
    personal, salt = _whence(), secrets.token_hex(16)
    entry = AuditEntry(
        id=head.entries + 1,
        at=clock.now(),
        act=act.value,
        actor_id=actor_id,
        subject=subject,
        reason=reason,
        details=dict(details or {}),
        personal=personal,
        salt=salt,
        seal=seal_of(personal, salt),
    )
    entry.hash = entry_hash(entry, head.hash)
    db.session.add(entry)
    db.session.execute(update(AuditHead).values(entries=entry.id, hash=entry.hash))
    db.session.flush()
    # The log is another place: who empties the tables cannot take it back from there.
    log.info(
        "audit", entry=entry.id, act=entry.act, actor_id=actor_id, subject=subject, hash=entry.hash
    )


def forget(actor_id: int) -> int:
    """Takes the personal parts of a member's entries away; the chain still holds.

    Returns how many. Does not commit.

    Also of what was tried at their account by nobody known: who mistyped a password was most likely
    they.
    """
    # With the owner's rights: the application itself may change no entry
    # (migrations/audit/rights.sql).
    return int(db.session.scalar(select(func.forget_in_audit(actor_id))) or 0)


def entry_hash(entry: AuditEntry, before: str) -> str:
    """Hex. Covers every column but `personal` and `salt`, which the seal stands for."""
    content = [
        before,
        entry.id,
        clock.to_us(entry.at),
        entry.act,
        entry.actor_id,
        entry.subject,
        entry.reason,
        entry.details,
        entry.seal,
    ]
    return hmac.new(
        _key(), json.dumps(content, sort_keys=True).encode(), hashlib.sha256
    ).hexdigest()


def _whence() -> dict[str, str]:
    if not has_request_context():
        return {}
    browser = request.headers.get("User-Agent", "")[:LONGEST_BROWSER]
    return {"address": request.remote_addr or "", "browser": browser}


def seal_of(personal: Mapping[str, Any], salt: str) -> str:
    """Hex. Holds the personal parts without telling them."""
    return hashlib.sha256((salt + json.dumps(personal, sort_keys=True)).encode()).hexdigest()


def _key() -> bytes:
    settings: Settings = current_app.config["PRESSBOX"]
    return hashlib.sha256(b"pressbox.audit.v1" + settings.audit_secret().encode()).digest()
