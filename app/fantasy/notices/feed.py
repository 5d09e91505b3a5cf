"""The secret address of a member's feed of notices.

The address holds the member and a version, and is signed so that nobody can guess one. A new
version ends all older addresses. Feed readers have no session, so everybody who knows the address
may read the feed.
"""

from __future__ import annotations

from flask import current_app
from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import update

from app.accounts import sanctions
from app.accounts.models import Member
from app.core import clock
from app.core.db import db


def token_of(member: Member) -> str:
    """Return the secret token of the member's feed."""
    return _serializer().dumps([member.id, member.feed_version])


def member_by(token: str) -> Member | None:
    """The member whose feed the token opens.

    None if the signature is wrong, the token was replaced, or the member is banned.
    """
    try:
        member_id, version = _serializer().loads(token)
    except BadSignature:
        return None
    member = db.session.get(Member, member_id)
    if (
        member is None
        or member.feed_version != version
        or sanctions.current(member, clock.now()) is not None
    ):
        return None
    return member


def replace(member_id: int) -> None:
    """Give the member's feed a new address. Commits."""
    db.session.execute(
        update(Member).where(Member.id == member_id).values(feed_version=Member.feed_version + 1),
        execution_options={"synchronize_session": "fetch"},
    )
    db.session.commit()


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(current_app.config["SECRET_KEY"], salt="pressbox.notices.feed.v1")
