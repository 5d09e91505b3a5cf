"""Keys of integrators' servers: made once, shown once, kept as SHA-256, revocable.

Not here: what a scope allows (app/api), the pages (integrator_views.py).
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError

from app.accounts.models import ApiKey, Integrator, Member
from app.core.db import db

PREFIX = "pbk_"
SHOWN = len(PREFIX) + 6  # characters of a key by which people tell keys apart
USE_NOTED = timedelta(minutes=1)  # how exact "last used" is: not a write a request

# What a key may do, in the words of the page.
SCOPES: Mapping[str, str] = {
    "boards:manage": "make games and modes",
    "players:token": "register players and get tokens for them",
    "attempts:issue": "issue attempts: the right to send one score",
    "feed:read": "read the change feed",
    "webhooks:manage": "make, list and delete webhooks, and replay deliveries",
    "scores:write": "add points on Pressbox's own monthly board",
}
OPERATOR_SCOPES = frozenset({"scores:write"})  # the monthly board belongs to everybody


@dataclass(frozen=True)
class KeyCaller:
    """An integrator's server that showed a valid key."""

    key_id: int
    integrator_id: int
    scopes: frozenset[str]


@dataclass(frozen=True)
class NewKey:
    """`secret` is the whole key; nobody can show it again."""

    row: ApiKey
    secret: str


def scopes_for(owner: Member) -> list[str]:
    """The scopes that this member's keys may have, in the order of the page."""
    return [scope for scope in SCOPES if scope not in OPERATOR_SCOPES or owner.role == "operator"]


def integrators_of(owner_id: int) -> list[Integrator]:
    """By name."""
    query = select(Integrator).where(Integrator.owner_id == owner_id).order_by(func.lower(Integrator.name))
    return list(db.session.scalars(query))


def integrator_for(integrator_id: int, owner_id: int) -> Integrator | None:
    """The integrator, if it is this member's."""
    integrator = db.session.get(Integrator, integrator_id)
    return integrator if integrator is not None and integrator.owner_id == owner_id else None


def create_integrator(name: str, owner_id: int) -> Integrator | dict[str, str]:
    """A new integrator, or what to change by field."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= 60 or not name.isprintable():
        return {"name": "Use 1 to 60 characters."}
    integrator = Integrator(name=name, owner_id=owner_id)
    db.session.add(integrator)
    try:
        db.session.commit()
    except IntegrityError:
        db.session.rollback()
        return {"name": "Somebody has this name already; choose another."}
    return integrator


def keys_of(integrator_id: int) -> list[ApiKey]:
    """Valid ones first, the newest first."""
    order = (ApiKey.revoked_at.isnot(None), ApiKey.id.desc())
    return list(db.session.scalars(select(ApiKey).where(ApiKey.integrator_id == integrator_id).order_by(*order)))


def create_key(integrator: Integrator, name: str, scopes: Collection[str], owner: Member) -> NewKey | dict[str, str]:
    """A new key, or what to change by field."""
    name = " ".join(name.split())
    faults = {}
    if not 1 <= len(name) <= 60 or not name.isprintable():
        faults["name"] = "Use 1 to 60 characters, for example the server's name."
    if not scopes or not set(scopes) <= set(scopes_for(owner)):
        faults["scopes"] = "Choose at least one thing that the key may do."
    if faults:
        return faults
    secret = PREFIX + secrets.token_urlsafe(32)
    in_order = [scope for scope in SCOPES if scope in scopes]
    row = ApiKey(integrator_id=integrator.id, name=name, prefix=secret[:SHOWN], digest=_digest(secret), scopes=in_order)
    db.session.add(row)
    db.session.commit()
    return NewKey(row, secret)


def revoke(integrator: Integrator, key_id: int, now: datetime) -> bool:
    """Ends the key at once; False when this integrator has no such valid key."""
    statement = (
        update(ApiKey)
        .where(ApiKey.id == key_id, ApiKey.integrator_id == integrator.id, ApiKey.revoked_at.is_(None))
        .values(revoked_at=now)
        .returning(ApiKey.id)
    )
    ended = db.session.scalar(statement)
    db.session.commit()
    return ended is not None


def find(secret: str, now: datetime) -> KeyCaller | None:
    """Whose key it is; None when it is unknown or revoked. Notes its use, to the minute."""
    key = db.session.scalar(select(ApiKey).where(ApiKey.digest == _digest(secret), ApiKey.revoked_at.is_(None)))
    if key is None:
        return None
    if key.last_used_at is None or now - key.last_used_at >= USE_NOTED:
        key.last_used_at = now
        db.session.commit()
    return KeyCaller(key.id, key.integrator_id, frozenset(key.scopes))


def _digest(secret: str) -> str:
    """Without salt or stretching: a key has 256 random bits, nobody guesses those."""
    return hashlib.sha256(secret.encode()).hexdigest()
