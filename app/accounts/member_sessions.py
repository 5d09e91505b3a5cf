"""Sessions of members as rows: begun, found again with each request, listed and ended.

One function, one transaction.

Not here: their cookies (sessions.py), how long they may last (rules.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, update

from app.accounts import tokens
from app.accounts.models import Member, MemberSession, PushDevice
from app.core.db import db

KEPT = timedelta(days=30)  # an ended session, for whoever looks into what happened
MOST_BROWSER = 200  # characters of a User-Agent that are kept


@dataclass(frozen=True)
class Origin:
    """Where somebody signs in from. `device`: the id in the device's cookie."""

    address: str
    browser: str
    device: str


def begin(
    session_id: str,
    member: Member,
    origin: Origin,
    now: datetime,
    ends: datetime,
    *,
    second_factor: bool,
) -> MemberSession:
    """A new session. Rows that are no longer kept go."""
    db.session.execute(
        delete(MemberSession).where(
            func.coalesce(MemberSession.ended_at, MemberSession.ends_at) < now - KEPT
        )
    )
    held = MemberSession(
        id=session_id,
        member_id=member.id,
        begun_at=now,
        used_at=now,
        ends_at=ends,
        verified_at=now,
        has_second_factor=second_factor,
        address=origin.address,
        browser=origin.browser[:MOST_BROWSER],
        device=origin.device,
    )
    db.session.add(held)
    db.session.commit()
    return held


def find(member_id: int, session_id: str) -> tuple[Member, MemberSession] | None:
    """The member and their session, unless it was ended."""
    query = (
        select(Member, MemberSession)
        .join(MemberSession, MemberSession.member_id == Member.id)
        .where(
            Member.id == member_id, MemberSession.id == session_id, MemberSession.ended_at.is_(None)
        )
    )
    found = db.session.execute(query.execution_options(populate_existing=True)).one_or_none()
    return None if found is None else (found[0], found[1])


def note_use(session_id: str, now: datetime, ends: datetime) -> None:
    """Record that the session is in use, on a separate connection.

    Whoever reads a page must not commit what a view does.
    """
    with db.engine.begin() as connection:
        connection.execute(
            update(MemberSession)
            .where(MemberSession.id == session_id)
            .values(used_at=now, ends_at=ends)
        )


def verify(session_id: str, renewed: str, now: datetime, *, second_factor: bool) -> bool:
    """Notes that the member has proved again who they are.

    The session is `renewed` from now on, with its tokens.

    False: there is no session of that id any more, since another tab was first or it was ended.
    """
    values: dict[str, object] = {"id": renewed, "verified_at": now}
    if second_factor:
        values["has_second_factor"] = True
    # In this order: whoever begins tokens meanwhile (tokens._hold) waits, and then finds no session
    # of the old id.
    mine = update(MemberSession).where(
        MemberSession.id == session_id, MemberSession.ended_at.is_(None)
    )
    found = db.session.scalar(
        mine.values(values)
        .returning(MemberSession.member_id)
        .execution_options(synchronize_session=False)
    )
    tokens.move(session_id, renewed)
    db.session.commit()
    return found is not None


def active(member_id: int, now: datetime) -> list[MemberSession]:
    """Sessions that are signed in, the last used first."""
    query = select(MemberSession).where(
        MemberSession.member_id == member_id,
        MemberSession.ended_at.is_(None),
        MemberSession.ends_at > now,
    )
    return list(db.session.scalars(query.order_by(MemberSession.used_at.desc(), MemberSession.id)))


def end(session_id: str, now: datetime, member_id: int | None = None) -> bool:
    """End a session for good, with its player tokens and the pushes to its device.

    It ends for whoever has a copy of its cookie. With `member_id`, only if it is this member's.
    Returns False if there is none that is signed in.
    """
    mine = [MemberSession.id == session_id, MemberSession.ended_at.is_(None)]
    if member_id is not None:
        mine.append(MemberSession.member_id == member_id)
    ended = db.session.execute(
        update(MemberSession)
        .where(*mine)
        .values(ended_at=now)
        .returning(MemberSession.member_id, MemberSession.device)
    ).one_or_none()
    if ended is not None:
        tokens.revoke_of_session(session_id, now)
        _end_pushes(ended.member_id, [ended.device])
    db.session.commit()
    return ended is not None


def end_all(member_id: int, now: datetime, *, but: str | None = None) -> int:
    """End all sessions, player tokens and pushes of the member. The caller commits.

    Those of the session `but` stay. Returns how many sessions ended.
    """
    mine = [MemberSession.member_id == member_id, MemberSession.ended_at.is_(None)]
    if but is not None:
        mine.append(MemberSession.id != but)
    ended = db.session.scalars(
        update(MemberSession).where(*mine).values(ended_at=now).returning(MemberSession.device)
    )
    devices = ended.all()
    tokens.revoke_of_member(member_id, now, but=but)
    _end_pushes(member_id, devices)
    return len(devices)


def _end_pushes(member_id: int, devices: Sequence[str]) -> None:
    """A signed-out device shows nothing any more, least of all on its lock screen."""
    db.session.execute(
        delete(PushDevice).where(PushDevice.member_id == member_id, PushDevice.device.in_(devices))
    )


def forget_second_factor(member_id: int) -> None:
    """Sessions of a member without a second factor have proved none. The caller commits."""
    db.session.execute(
        update(MemberSession)
        .where(MemberSession.member_id == member_id)
        .values(has_second_factor=False)
    )
