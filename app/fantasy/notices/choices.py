"""A member's choices of notices to be pushed or mailed, which are off by default.

It also makes the signed link in every mail that ends mails of its kind. deliveries.py sends.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from flask import current_app
from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import func, update
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.notices.models import OUTSIDE, NoticeChoice


@dataclass(frozen=True)
class Choices:
    """The kinds of notices (of OUTSIDE) that a member wants pushed, and mailed."""

    push: frozenset[str] = frozenset()
    mail: frozenset[str] = frozenset()


def of(member_id: int) -> Choices:
    """Return the member's choices; without any the default ones."""
    choice = db.session.get(NoticeChoice, member_id, populate_existing=True)
    return Choices() if choice is None else Choices(frozenset(choice.push), frozenset(choice.mail))


def choose(
    member_id: int, *, push: Collection[str] | None = None, mail: Collection[str] | None = None
) -> None:
    """Send these kinds of notices and no others from now on. Commits.

    Notices that wait to be sent and are no longer chosen are not sent. Unknown kinds are ignored.

    Args:
        member_id: The member.
        push: The kinds to push; None for no change.
        mail: The kinds to mail; None for no change.
    """
    chosen = {
        channel: [kind for kind in OUTSIDE if kind in kinds]
        for channel, kinds in (("push", push), ("mail", mail))
        if kinds is not None
    }
    if chosen:
        adding = insert(NoticeChoice).values(
            {"member_id": member_id, "push": [], "mail": []} | chosen
        )
        db.session.execute(adding.on_conflict_do_update(index_elements=["member_id"], set_=chosen))
    db.session.commit()


def stop_token(member_id: int, kind: str) -> str:
    """A token for the link in a mail, which ends mails of this kind to this member."""
    return _serializer().dumps([member_id, kind])


def member_by(token: str) -> tuple[Member, str] | None:
    """The member and the kind of mails that the token ends.

    None if the signature is wrong or the account was erased.
    """
    try:
        member_id, kind = _serializer().loads(token)
    except BadSignature:
        return None
    member = db.session.get(Member, member_id)
    return None if member is None or member.erased_at is not None else (member, kind)


def stop_mail(member_id: int, kind: str) -> None:
    """Stop mails of this kind; a repeated call changes nothing. Commits."""
    db.session.execute(
        update(NoticeChoice)
        .where(NoticeChoice.member_id == member_id)
        .values(mail=func.array_remove(NoticeChoice.mail, kind))
    )
    db.session.commit()


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(current_app.config["SECRET_KEY"], salt="pressbox.notices.stop.v1")
