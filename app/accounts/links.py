"""One-time links: to set a password, or to confirm an address for mail.

PostgreSQL stores only their SHA-256. Whoever has a link can use it, so it is shown or mailed once
and never logged. Setting passwords is in passwords.py, sending mail in mail.py.
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
    now: datetime,
    lifetime: timedelta,
    *,
    made_by: int | None = None,
    email: str | None = None,
) -> str:
    """Create a link; earlier ones for the same purpose end. The caller commits.

    Args:
        member_id: Whose link it is.
        now: When it is created.
        lifetime: How long it is good.
        made_by: The operator who makes it; None: a command, or the member by mail.
        email: The address that it confirms; None: the link sets a password.

    Returns:
        The token of the link.
    """
    purpose: Purpose = "password" if email is None else "email"
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
    """Return the link and its member, if the link is good now."""
    query = (
        select(OneTimeLink, Member)
        .join(Member, Member.id == OneTimeLink.member_id)
        .where(_good(token, purpose, now))
        .execution_options(populate_existing=True)
    )
    row = db.session.execute(query).one_or_none()
    return None if row is None else (row[0], row[1])


def spend(token: str, purpose: Purpose, now: datetime) -> bool:
    """Use the link up; only one of two concurrent calls gets True. The caller commits."""
    statement = (
        update(OneTimeLink)
        .where(_good(token, purpose, now))
        .values(used_at=now)
        .returning(OneTimeLink.id)
    )
    return db.session.scalar(statement) is not None


def end_all(member_id: int, purpose: Purpose) -> None:
    """Delete the member's unused links. The caller commits."""
    unused = (
        OneTimeLink.member_id == member_id,
        OneTimeLink.purpose == purpose,
        OneTimeLink.used_at.is_(None),
    )
    db.session.execute(delete(OneTimeLink).where(*unused))


def _good(token: str, purpose: Purpose, now: datetime) -> ColumnElement[bool]:
    return (
        (OneTimeLink.digest == digest(token))
        & (OneTimeLink.purpose == purpose)
        & OneTimeLink.used_at.is_(None)
        & (OneTimeLink.expires_at > now)
    )
