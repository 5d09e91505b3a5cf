"""What a member wants outside of Pressbox: which kinds of notices pushed, which by mail.

Off until asked for.

Lives here: the switches, and the signed link in every mail that takes one back. Not here: sending
(deliveries.py).
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
    """Kinds by way, each of OUTSIDE."""

    push: frozenset[str] = frozenset()
    mail: frozenset[str] = frozenset()


def of(member_id: int) -> Choices:
    """Return the member's choices; without any the default ones."""
    held = db.session.get(NoticeChoice, member_id, populate_existing=True)
    return Choices() if held is None else Choices(frozenset(held.push), frozenset(held.mail))


def choose(
    member_id: int, *, push: Collection[str] | None = None, mail: Collection[str] | None = None
) -> None:
    """The member wants these kinds and no others from now on; None: as before.

    Unknown kinds are left out. Commits.

    What waits to be sent and is not wanted any more is not sent.
    """
    wanted = {
        way: [kind for kind in OUTSIDE if kind in kinds]
        for way, kinds in (("push", push), ("mail", mail))
        if kinds is not None
    }
    if wanted:
        adding = insert(NoticeChoice).values(
            {"member_id": member_id, "push": [], "mail": []} | wanted
        )
        db.session.execute(adding.on_conflict_do_update(index_elements=["member_id"], set_=wanted))
    db.session.commit()


def stop_token(member_id: int, kind: str) -> str:
    """For the link in a mail.

    Whoever has it may end mails of this kind to this member, and nothing else.
    """
    return _serializer().dumps([member_id, kind])


def member_by(token: str) -> tuple[Member, str] | None:
    """Whose mails of which kind it ends.

    None for one that we did not sign, or of an account that is gone.
    """
    try:
        member_id, kind = _serializer().loads(token)
    except BadSignature:
        return None
    member = db.session.get(Member, member_id)
    return None if member is None or member.erased_at is not None else (member, kind)


def stop_mail(member_id: int, kind: str) -> None:
    """No mails of this kind any more; twice changes nothing. Commits."""
    db.session.execute(
        update(NoticeChoice)
        .where(NoticeChoice.member_id == member_id)
        .values(mail=func.array_remove(NoticeChoice.mail, kind))
    )
    db.session.commit()


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(current_app.config["SECRET_KEY"], salt="pressbox.notices.stop.v1")
