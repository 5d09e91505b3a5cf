"""The secret address of a member's calendar, which can be renewed and withdrawn.

As with the feed of notices (feed.py) the address is signed and holds the member and a version.
There is none until the member asks for it. Calendar programs have no session, so everybody who
knows the address may read the calendar.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any

from flask import current_app
from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import update
from sqlalchemy.dialects.postgresql import insert

from app.accounts import sanctions
from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.notices.models import CalendarFeed

REMEMBERED = timedelta(days=366)  # an entry that has left the calendar
_LEFT = ""  # in place of its digest


def token_of(member_id: int) -> str | None:
    """Return the token of the member's calendar; None if they have no address."""
    feed = db.session.get(CalendarFeed, member_id, populate_existing=True)
    if feed is None or feed.withdrawn_at is not None:
        return None
    return str(_serializer().dumps([member_id, feed.version]))


def member_by(token: str) -> Member | None:
    """The member whose calendar the token opens.

    None if the signature is wrong, the address was renewed or withdrawn, or the member is banned.
    """
    try:
        member_id, version = _serializer().loads(token)
    except BadSignature:
        return None
    feed = db.session.get(CalendarFeed, member_id, populate_existing=True)
    if feed is None or feed.withdrawn_at is not None or feed.version != version:
        return None
    member = db.session.get_one(Member, member_id)
    return None if sanctions.current(member, clock.now()) is not None else member


def renew(member_id: int) -> None:
    """Give the member's calendar its first or a new address. Commits."""
    adding = insert(CalendarFeed).values(member_id=member_id)
    db.session.execute(
        adding.on_conflict_do_update(
            index_elements=["member_id"],
            set_={"version": CalendarFeed.version + 1, "withdrawn_at": None},
        )
    )
    db.session.commit()


def withdraw(member_id: int, now: datetime) -> None:
    """End the address without a new one. Commits."""
    db.session.execute(
        update(CalendarFeed)
        .where(CalendarFeed.member_id == member_id)
        .values(version=CalendarFeed.version + 1, withdrawn_at=now)
    )
    db.session.commit()


def revise(
    member_id: int, contents: Mapping[str, str], now: datetime
) -> dict[str, tuple[int, datetime]]:
    """Compare the entries with those that were sent before, and note what changed. Commits.

    Args:
        member_id: The member.
        contents: What each entry says, by its UID.
        now: The time of the changes.

    Returns:
        By UID: the entry's sequence number and the moment of its last change.
    """
    feed = db.session.get_one(CalendarFeed, member_id, with_for_update=True, populate_existing=True)
    revised = revised_entries(feed.entries, contents, now)
    if revised != feed.entries:
        feed.entries = revised
    db.session.commit()
    return {uid: (revised[uid][1], datetime.fromisoformat(revised[uid][2])) for uid in contents}


def revised_entries(
    before: Mapping[str, Any], contents: Mapping[str, str], now: datetime
) -> dict[str, Any]:
    """Return digest, sequence number and last change by UID; the number rises with each change.

    An entry that has left is remembered for a year without a digest: if it comes back, its number
    goes on (RFC 5545, 3.8.7.4).
    """
    since = (now - REMEMBERED).isoformat()
    revised = {
        uid: old if old[0] == _LEFT else [_LEFT, old[1], now.isoformat()]
        for uid, old in before.items()
        if uid not in contents and (old[0] != _LEFT or old[2] > since)
    }
    for uid, content in contents.items():
        digest = blake2b(content.encode(), digest_size=8).hexdigest()
        old = before.get(uid)
        if old is None:
            revised[uid] = [digest, 0, now.isoformat()]
        elif old[0] != digest:
            revised[uid] = [digest, old[1] + 1, now.isoformat()]
        else:
            revised[uid] = old
    return revised


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(current_app.config["SECRET_KEY"], salt="pressbox.calendar.v1")
