"""API keys of integrators' servers: shown once, stored as SHA-256, revocable.

What a scope allows is decided in app/api; the pages are in integrator_views.py.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, text, update
from sqlalchemy.exc import IntegrityError

from app.accounts import names, quotas, sanctions, services, tokens
from app.accounts.digests import digest
from app.accounts.models import ApiKey, Integrator, Member
from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db
from app.core.db.autocommit import begin_autocommit
from app.core.postgres.advisory_locks import Lock
from app.core.request_batching import batched

LONGEST_NAME = 60  # of an integrator
PREFIX = "pbk_"
LONGEST_KEY_NAME = 60
SHOWN = len(PREFIX) + 6  # characters of a key by which people tell keys apart
USE_NOTED = timedelta(minutes=1)  # precision of "last used", so that not every request writes

# What a key may do, in the words of the page.
SCOPES: Mapping[str, str] = {
    "boards:manage": (
        "create, change, hide, archive and delete games and modes, and manage guilds"
    ),
    "players:token": "register players and get tokens for them",
    "players:manage": "list, read, export and erase the integrator's players",
    "attempts:issue": "issue attempts, each of which allows a player to send one score",
    "scores:submit": "send your players' scores without attempts, up to 1,000 per call",
    "scores:moderate": (
        "hold, reject and roll back scores, ban players, freeze boards and set anti-cheat limits"
    ),
    "feed:read": "read the change feed",
    "webhooks:manage": (
        "create, list and delete webhooks, rotate their secrets and replay deliveries"
    ),
    "scores:write": "add points on Pressbox's own monthly board",
}
OPERATOR_SCOPES = frozenset({"scores:write"})  # the monthly board belongs to everybody


@dataclass(frozen=True)
class KeyCaller:
    """An integrator's server that sent a valid key."""

    key_id: int
    integrator_id: int
    scopes: frozenset[str]


@dataclass(frozen=True)
class NewKey:
    """A new key with its `secret`, which cannot be shown again."""

    row: ApiKey
    secret: str


def _scopes_of(key: ApiKey, owner_roles: Collection[str]) -> frozenset[str]:
    """Return what the key may do now; scopes of operators need an owner who is one."""
    return frozenset(key.scopes) - (frozenset() if "operator" in owner_roles else OPERATOR_SCOPES)


def scopes_for(owner: Member) -> list[str]:
    """Return the scopes that this member's keys may have, in the order of the page."""
    return [scope for scope in SCOPES if scope not in OPERATOR_SCOPES or owner.has_role("operator")]


def integrators_of(owner_id: int) -> list[Integrator]:
    """Return the member's integrators by name, without those that are being deleted."""
    query = (
        select(Integrator)
        .where(Integrator.owner_id == owner_id, Integrator.deleting_at.is_(None))
        .order_by(func.lower(Integrator.name))
    )
    return list(db.session.scalars(query))


def integrator_for(integrator_id: int, owner_id: int) -> Integrator | None:
    """Return the integrator if it is this member's and not being deleted."""
    integrator = db.session.get(Integrator, integrator_id)
    is_mine = (
        integrator is not None
        and integrator.owner_id == owner_id
        and integrator.deleting_at is None
    )
    return integrator if is_mine else None


def create_integrator(name: str, owner_id: int) -> Integrator | dict[str, str]:
    """Create an integrator, or return what to change, by field."""
    name = names.normalised(name)
    if fault := services.public_name_fault(name, LONGEST_NAME):
        return {"name": fault}
    _lock(f"member:{owner_id}")
    full = quotas.refusal(
        "name",
        len(integrators_of(owner_id)),
        quotas.MOST_INTEGRATORS,
        "integrators on your account",
    )
    if full:
        db.session.rollback()
        return {"name": full[0].text}
    integrator = Integrator(name=name, owner_id=owner_id)
    db.session.add(integrator)
    try:
        db.session.commit()
    except IntegrityError:
        db.session.rollback()
        return {"name": "This name is taken. Choose another one."}
    return integrator


def keys_of(integrator_id: int) -> list[ApiKey]:
    """Return the integrator's keys: valid ones first, then by age, the newest first."""
    order = (ApiKey.revoked_at.isnot(None), ApiKey.id.desc())
    return list(
        db.session.scalars(
            select(ApiKey).where(ApiKey.integrator_id == integrator_id).order_by(*order)
        )
    )


def create_key(
    integrator: Integrator, name: str, scopes: Collection[str], owner: Member
) -> NewKey | dict[str, str]:
    """Create a key, or return what to change, by field."""
    name = " ".join(name.split())
    faults = {}
    if not 1 <= len(name) <= LONGEST_KEY_NAME or not name.isprintable():
        faults["name"] = f"Use 1 to {LONGEST_KEY_NAME} characters, e.g. the server's name."
    if not scopes or not set(scopes) <= set(scopes_for(owner)):
        faults["scopes"] = "Choose at least one permission."
    _lock(f"integrator:{integrator.id}")
    valid = select(func.count()).where(
        ApiKey.integrator_id == integrator.id, ApiKey.revoked_at.is_(None)
    )
    if (db.session.scalar(valid) or 0) >= quotas.MOST_KEYS:
        faults["name"] = (
            f"There are {quotas.MOST_KEYS} valid keys, which is the limit. Revoke one first."
        )
    if faults:
        db.session.rollback()
        return faults
    secret = PREFIX + secrets.token_urlsafe(32)
    in_order = [scope for scope in SCOPES if scope in scopes]
    row = ApiKey(
        integrator_id=integrator.id,
        name=name,
        prefix=secret[:SHOWN],
        digest=digest(secret),
        scopes=in_order,
    )
    db.session.add(row)
    db.session.flush()
    audit.record(
        Act.KEY_MADE,
        actor_id=owner.id,
        subject=f"key:{row.id}",
        details={"name": name, "scopes": in_order},
    )
    db.session.commit()
    return NewKey(row, secret)


def revoke(integrator: Integrator, key_id: int, now: datetime) -> bool:
    """End the key at once, with the player tokens and attempts that were issued with it.

    Returns:
        False if the integrator has no such valid key.
    """
    statement = (
        update(ApiKey)
        .where(
            ApiKey.id == key_id, ApiKey.integrator_id == integrator.id, ApiKey.revoked_at.is_(None)
        )
        .values(revoked_at=now)
        .returning(ApiKey.id)
    )
    ended = db.session.scalar(statement)
    if ended is not None:
        tokens.revoke_of_key(ended, now)
        audit.record(Act.KEY_REVOKED, actor_id=integrator.owner_id, subject=f"key:{key_id}")
    db.session.commit()
    return ended is not None


def revoked_among(key_ids: Collection[int]) -> frozenset[int]:
    """Return those of these keys that were revoked or deleted."""
    if not key_ids:
        return frozenset()
    good = select(ApiKey.id).where(ApiKey.id.in_(key_ids), ApiKey.revoked_at.is_(None))
    return frozenset(key_ids) - frozenset(db.session.scalars(good))


def good_among(key_ids: Collection[int], now: datetime) -> frozenset[int]:
    """Return those of these keys that `find` would still accept."""
    query = (
        select(ApiKey.id, Member)
        .join(Integrator, Integrator.id == ApiKey.integrator_id)
        .join(Member, Member.id == Integrator.owner_id)
        .where(ApiKey.id.in_(key_ids), ApiKey.revoked_at.is_(None))
        .execution_options(populate_existing=True)
    )
    return frozenset(
        key for key, owner in db.session.execute(query) if sanctions.current(owner, now) is None
    )


def find(secret: str, now: datetime) -> KeyCaller | None:
    """Return whose key it is and note its use, to the minute.

    Returns:
        None if the key is unknown or revoked, or its owner is banned.
    """
    return _find_batched((digest(secret), now))


def _find(asked: Sequence[tuple[str, datetime]]) -> list[KeyCaller | None]:
    """Find several keys by digest, each at its time."""
    begin_autocommit()
    query = (
        select(ApiKey, Member)
        .join(Integrator, Integrator.id == ApiKey.integrator_id)
        .join(Member, Member.id == Integrator.owner_id)
        .where(
            ApiKey.digest.in_({key_digest for key_digest, _ in asked}), ApiKey.revoked_at.is_(None)
        )
    )
    rows = {key.digest: (key, owner) for key, owner in db.session.execute(query)}
    db.session.commit()
    callers: list[KeyCaller | None] = []
    used: dict[int, datetime] = {}
    for key_digest, now in asked:
        key, owner = rows.get(key_digest, (None, None))
        if key is None or owner is None or sanctions.current(owner, now) is not None:
            callers.append(None)
            continue
        if key.last_used_at is None or now - key.last_used_at >= USE_NOTED:
            used[key.id] = now
        callers.append(KeyCaller(key.id, key.integrator_id, _scopes_of(key, owner.roles)))
    if used:
        _note_use(used)
    return callers


def _note_use(used: Mapping[int, datetime]) -> None:
    """Write when keys were last used. Commits."""
    statement = update(ApiKey).where(ApiKey.id.in_(used)).values(last_used_at=max(used.values()))
    db.session.execute(statement.execution_options(synchronize_session=False))
    db.session.commit()


_find_batched = batched(_find)


def _lock(whose: str) -> None:
    """Lock until the end of the transaction, so that what was counted does not change."""
    lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:whose, :lock))")
    db.session.execute(lock, {"whose": whose, "lock": Lock.INTEGRATOR})
