"""Sessions of members as rows: begun, looked up with each request, listed and ended.

One function is one transaction. The cookies are in sessions.py, the lifetimes in rules.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, update

from app.accounts import tokens
from app.accounts.models import Member, MemberSession, PushDevice
from app.core.db import db

KEPT = timedelta(days=30)  # ended sessions, for investigations
MOST_BROWSER = 200  # characters of a User-Agent that are stored


@dataclass(frozen=True)
class SignIn:
    """How somebody signed in; `device` is the id in the device's cookie."""

    address: str
    browser: str
    device: str
    has_second_factor: bool


def begin(
    session_id: str, member: Member, sign_in: SignIn, now: datetime, ends: datetime
) -> MemberSession:
    """Begin a session, and delete rows that are no longer kept."""
    db.session.execute(
        delete(MemberSession).where(
            func.coalesce(MemberSession.ended_at, MemberSession.ends_at) < now - KEPT
        )
    )
    row = MemberSession(
        id=session_id,
        member_id=member.id,
        begun_at=now,
        used_at=now,
        ends_at=ends,
        verified_at=now,
        has_second_factor=sign_in.has_second_factor,
        address=sign_in.address,
        browser=sign_in.browser[:MOST_BROWSER],
        device=sign_in.device,
    )
    db.session.add(row)
    db.session.commit()
    return row


def find(member_id: int, session_id: str) -> tuple[Member, MemberSession] | None:
    """Return the member and their session, unless it has ended."""
    query = (
        select(Member, MemberSession)
        .join(MemberSession, MemberSession.member_id == Member.id)
        .where(
            Member.id == member_id, MemberSession.id == session_id, MemberSession.ended_at.is_(None)
        )
    )
    row = db.session.execute(query.execution_options(populate_existing=True)).one_or_none()
    return None if row is None else (row[0], row[1])


def note_use(session_id: str, now: datetime, ends: datetime) -> None:
    """Record that the session is in use, on a separate connection.

    Looking up the session must not commit the transaction of a view.
    """
    with db.engine.begin() as connection:
        connection.execute(
            update(MemberSession)
            .where(MemberSession.id == session_id)
            .values(used_at=now, ends_at=ends)
        )


def verify(session_id: str, renewed: str, now: datetime, *, second_factor: bool) -> bool:
    """Note that the member has proved again who they are.

    From now on the id of the session and of its tokens is `renewed`.

    Returns:
        False if there is no such session any more: another tab was faster, or it was ended.
    """
    values: dict[str, object] = {"id": renewed, "verified_at": now}
    if second_factor:
        values["has_second_factor"] = True
    # In this order: a concurrent tokens.issue waits, and then finds no session of the old id.
    renewal = update(MemberSession).where(
        MemberSession.id == session_id, MemberSession.ended_at.is_(None)
    )
    member_id = db.session.scalar(
        renewal.values(values)
        .returning(MemberSession.member_id)
        .execution_options(synchronize_session=False)
    )
    tokens.move(session_id, renewed)
    db.session.commit()
    return member_id is not None


def active(member_id: int, now: datetime) -> list[MemberSession]:
    """Return the sessions that are signed in, the last used first."""
    query = select(MemberSession).where(
        MemberSession.member_id == member_id,
        MemberSession.ended_at.is_(None),
        MemberSession.ends_at > now,
    )
    return list(db.session.scalars(query.order_by(MemberSession.used_at.desc(), MemberSession.id)))


def end(session_id: str, now: datetime, member_id: int | None = None) -> bool:
    """End a session for good, with its player tokens and the pushes to its device.

    Copies of its cookie end too. With `member_id`, the session must be this member's.

    Returns:
        False if no such session is signed in.
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

    Those of the session `but` stay.

    Returns:
        The number of sessions that ended.
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
    """Stop pushes to signed-out devices, which would show them on the lock screen."""
    db.session.execute(
        delete(PushDevice).where(PushDevice.member_id == member_id, PushDevice.device.in_(devices))
    )


def forget_second_factor(member_id: int) -> None:
    """Note that the member's sessions have proved no second factor. The caller commits."""
    db.session.execute(
        update(MemberSession)
        .where(MemberSession.member_id == member_id)
        .values(has_second_factor=False)
    )
