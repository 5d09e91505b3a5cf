"""Browsers that a member wants pushes on: added, listed and removed. One function, one transaction.

Not here: what is pushed and when (app/fantasy/notices), encryption and the push services (push.py).
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

MOST_DEVICES = 10  # of a member


@dataclass(frozen=True)
class Subscription:
    """What a browser hands out (PushSubscription): address, public key and secret, in base64url."""

    endpoint: str
    p256dh: str
    auth: str


def add(
    member_id: int, given: Subscription, user_agent: str, device: str, now: datetime
) -> PushDevice | Refusal:
    """The browser gets this member's pushes from now on, and nobody else's; twice changes nothing.

    Commits.

    `device`: the id in its cookie.
    """
    if fault := push.endpoint_fault(given.endpoint):
        return Refusal("endpoint", "endpoint", fault)
    if not _is_key(given.p256dh) or len(_bytes(given.auth)) != 16:
        return Refusal(
            "keys",
            "keys",
            "The browser's keys cannot be read: reload the page and switch it on again.",
        )
    # One at a time, so that the number holds.
    db.session.execute(select(Member.id).where(Member.id == member_id).with_for_update())
    digest = hashlib.sha256(given.endpoint.encode()).hexdigest()
    others = select(func.count()).where(
        PushDevice.member_id == member_id, PushDevice.digest != digest
    )
    if (db.session.scalar(others) or 0) >= MOST_DEVICES:
        db.session.rollback()
        return Refusal(
            "too_many",
            "",
            f"You have {MOST_DEVICES} devices, the most there can be: remove one first.",
        )
    # Whoever signed in on this browser before gets nothing more on it. Only the browser itself
    # knows its secret.
    db.session.execute(
        delete(PushDevice).where(
            PushDevice.digest == digest,
            PushDevice.member_id != member_id,
            PushDevice.auth == given.auth,
        )
    )
    values = {
        "endpoint": given.endpoint,
        "p256dh": given.p256dh,
        "auth": given.auth,
        "service": (urlsplit(given.endpoint).hostname or "").lower(),
        "device": device,
        "name": browser_name(user_agent),
    }
    adding = insert(PushDevice).values(member_id=member_id, digest=digest, created_at=now, **values)
    made = db.session.scalar(
        adding.on_conflict_do_update(
            index_elements=["digest"], set_=values, where=PushDevice.member_id == member_id
        ).returning(PushDevice.id)
    )
    db.session.commit()
    if made is None:
        return Refusal(
            "endpoint",
            "endpoint",
            "That address is another browser's: reload the page and try again.",
        )
    return db.session.get_one(PushDevice, made, populate_existing=True)


def of(member_id: int) -> Sequence[PushDevice]:
    """The newest first."""
    query = select(PushDevice).where(PushDevice.member_id == member_id)
    return db.session.scalars(
        query.order_by(PushDevice.created_at.desc(), PushDevice.id.desc())
    ).all()


def remove(member_id: int, device_id: int) -> bool:
    """Nothing is pushed to it any more, what waits included.

    False: the member has no such device. Commits.
    """
    mine = delete(PushDevice).where(PushDevice.id == device_id, PushDevice.member_id == member_id)
    gone = db.session.scalar(mine.returning(PushDevice.id))
    db.session.commit()
    return gone is not None


def forget(device_ids: Collection[int]) -> None:
    """The push service says that they are gone. The caller commits."""
    db.session.execute(delete(PushDevice).where(PushDevice.id.in_(device_ids)))


def note_pushed(device_ids: Collection[int], now: datetime) -> None:
    """That the push service took something for them. The caller commits."""
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
    """Of base64url with or without `=`; nothing for what is none."""
    try:
        return urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
    except (binascii.Error, ValueError):
        return b""
