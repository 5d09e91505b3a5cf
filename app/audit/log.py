"""Writes the audit. It is read in queries.py and verified in verification.py.

Entries form a chain: the hash of each is keyed with a secret of the installation and covers the
entry before it. So nobody who can write to the database, but does not know the secret, can change,
remove or insert entries unnoticed.
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
    """Add an entry in the caller's transaction; does not commit.

    Call it last, because everybody else who adds an entry waits until the commit. In a request,
    address and browser are recorded too.
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
    # The log is kept elsewhere: whoever empties the tables cannot remove the entry there.
    log.info(
        "audit", entry=entry.id, act=entry.act, actor_id=actor_id, subject=subject, hash=entry.hash
    )


def forget(actor_id: int) -> int:
    """Remove the personal parts of a member's entries; the chain stays valid.

    Attempts by unknown people at the member's account are included, because a mistyped password was
    most likely the member's own. Returns how many entries it changed. Does not commit.
    """
    # With the owner's rights, because the application itself may not change entries
    # (migrations/audit/rights.sql).
    return int(db.session.scalar(select(func.forget_in_audit(actor_id))) or 0)


def entry_hash(entry: AuditEntry, before: str) -> str:
    """The hash in hex, over every column; the seal stands for `personal` and `salt`."""
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
    """A hash in hex over the personal parts, which does not reveal them."""
    return hashlib.sha256((salt + json.dumps(personal, sort_keys=True)).encode()).hexdigest()


def _key() -> bytes:
    settings: Settings = current_app.config["PRESSBOX"]
    return hashlib.sha256(b"pressbox.audit.v1" + settings.audit_secret().encode()).digest()
