"""Browsers on which a member wants pushes. One function is one transaction.

What is pushed and when is in app/fantasy/notices, encryption and the push services in push.py.
"""

from __future__ import annotations

import binascii
import hashlib
from base64 import urlsafe_b64decode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from app.accounts import push
from app.accounts.browsers import browser_name
from app.accounts.models import Member, PushDevice
from app.core.db import db
from app.core.refusals import Refusal

MOST_DEVICES = 10  # per member
_AUTH_BYTES = 16  # of the secret (RFC 8291)


@dataclass(frozen=True)
class Subscription:
    """A browser's PushSubscription: address, public key and secret, in base64url."""

    endpoint: str
    p256dh: str
    auth: str


def add(
    member_id: int, subscription: Subscription, user_agent: str, device: str, now: datetime
) -> PushDevice | Refusal:
    """Send this member's pushes to the browser from now on, and nobody else's. Commits.

    A repetition changes nothing. `device` is the id in the browser's cookie.
    """
    if fault := push.endpoint_fault(subscription.endpoint):
        return Refusal("endpoint", "endpoint", fault)
    if not _is_key(subscription.p256dh) or len(_bytes(subscription.auth)) != _AUTH_BYTES:
        return Refusal(
            "keys",
            "keys",
            "We couldn't read this browser's keys. Reload the page and turn notifications on "
            "again.",
        )
    # Locked, so that the limit holds.
    db.session.execute(select(Member.id).where(Member.id == member_id).with_for_update())
    digest = hashlib.sha256(subscription.endpoint.encode()).hexdigest()
    others = select(func.count()).where(
        PushDevice.member_id == member_id, PushDevice.digest != digest
    )
    if (db.session.scalar(others) or 0) >= MOST_DEVICES:
        db.session.rollback()
        return Refusal(
            "too_many",
            "",
            f"You have {MOST_DEVICES} devices, which is the limit. Remove one first.",
        )
    # Earlier members of this browser get nothing more on it. Only the browser knows its secret.
    db.session.execute(
        delete(PushDevice).where(
            PushDevice.digest == digest,
            PushDevice.member_id != member_id,
            PushDevice.auth == subscription.auth,
        )
    )
    values = {
        "endpoint": subscription.endpoint,
        "p256dh": subscription.p256dh,
        "auth": subscription.auth,
        "service": (urlsplit(subscription.endpoint).hostname or "").lower(),
        "device": device,
        "name": browser_name(user_agent),
    }
    adding = insert(PushDevice).values(member_id=member_id, digest=digest, created_at=now, **values)
    device_id = db.session.scalar(
        adding.on_conflict_do_update(
            index_elements=["digest"], set_=values, where=PushDevice.member_id == member_id
        ).returning(PushDevice.id)
    )
    db.session.commit()
    if device_id is None:
        return Refusal(
            "endpoint",
            "endpoint",
            "This subscription belongs to another browser. Reload the page and try again.",
        )
    return db.session.get_one(PushDevice, device_id, populate_existing=True)


def of(member_id: int) -> Sequence[PushDevice]:
    """Return the member's devices, the newest first."""
    query = select(PushDevice).where(PushDevice.member_id == member_id)
    return db.session.scalars(
        query.order_by(PushDevice.created_at.desc(), PushDevice.id.desc())
    ).all()


def remove(member_id: int, device_id: int) -> bool:
    """Stop pushing to the device, waiting messages included. Commits.

    Returns:
        False if the member has no such device.
    """
    deletion = delete(PushDevice).where(
        PushDevice.id == device_id, PushDevice.member_id == member_id
    )
    removed_id = db.session.scalar(deletion.returning(PushDevice.id))
    db.session.commit()
    return removed_id is not None


def forget(device_ids: Collection[int]) -> None:
    """Delete devices that are gone, as their push service says. The caller commits."""
    db.session.execute(delete(PushDevice).where(PushDevice.id.in_(device_ids)))


def note_pushed(device_ids: Collection[int], now: datetime) -> None:
    """Note that the push service accepted something for them. The caller commits."""
    later = or_(PushDevice.pushed_at.is_(None), PushDevice.pushed_at < now)
    db.session.execute(
        update(PushDevice).where(PushDevice.id.in_(device_ids), later).values(pushed_at=now)
    )


def _is_key(text: str) -> bool:
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _bytes(text))
    except ValueError:
        return False
    return True


def _bytes(text: str) -> bytes:
    """Decode base64url with or without `=`; empty if it is not base64url."""
    try:
        return urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
    except (binascii.Error, ValueError):
        return b""
