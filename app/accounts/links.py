"""Links that are good for one use: to set a password, or to confirm an address for mail.

PostgreSQL keeps their SHA-256 only. Whoever has one may do what it is for, so it is shown or mailed
once and never logged. Not here: what setting a password ends (passwords.py), sending mail
(mail.py).
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, delete, select, update

from app.accounts.digests import digest
from app.accounts.models import Member, OneTimeLink
from app.core.db import db

Purpose = Literal["password", "email"]
LIFETIME_BY_OPERATOR = timedelta(days=1)
LIFETIME_BY_MAIL = timedelta(hours=1)


def make(
    member_id: int,
    purpose: Purpose,
    now: datetime,
    lifetime: timedelta,
    *,
    made_by: int | None = None,
    email: str | None = None,
) -> str:
    """The token of a new link; those before it of the same purpose end. The caller commits."""
    end_all(member_id, purpose)
    token = secrets.token_urlsafe(32)
    db.session.add(
        OneTimeLink(
            member_id=member_id,
            purpose=purpose,
            digest=digest(token),
            email=email,
            made_by=made_by,
            created_at=now,
            expires_at=now + lifetime,
        )
    )
    return token


def find(token: str, purpose: Purpose, now: datetime) -> tuple[OneTimeLink, Member] | None:
    """The link and whose it is, if it is good now."""
    query = (
        select(OneTimeLink, Member)
        .join(Member, Member.id == OneTimeLink.member_id)
        .where(_good(token, purpose, now))
        .execution_options(populate_existing=True)
    )
    found = db.session.execute(query).one_or_none()
    return None if found is None else (found[0], found[1])


def spend(token: str, purpose: Purpose, now: datetime) -> bool:
    """Uses the link up; of two at the same moment only one gets True. The caller commits."""
    statement = (
        update(OneTimeLink)
        .where(_good(token, purpose, now))
        .values(used_at=now)
        .returning(OneTimeLink.id)
    )
    return db.session.scalar(statement) is not None


def end_all(member_id: int, purpose: Purpose) -> None:
    """Takes the member's links that were not used away. The caller commits."""
    mine = (
        OneTimeLink.member_id == member_id,
        OneTimeLink.purpose == purpose,
        OneTimeLink.used_at.is_(None),
    )
    db.session.execute(delete(OneTimeLink).where(*mine))


def _good(token: str, purpose: Purpose, now: datetime) -> ColumnElement[bool]:
    return (
        (OneTimeLink.digest == digest(token))
        & (OneTimeLink.purpose == purpose)
        & OneTimeLink.used_at.is_(None)
        & (OneTimeLink.expires_at > now)
    )
