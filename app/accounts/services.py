"""What people do with their accounts: register, sign in, sign out. One function, one transaction."""

from __future__ import annotations

from datetime import datetime
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError

from app.accounts import rules
from app.accounts.models import EndedSession, Member
from app.core.db import db

hasher = cache(PasswordHasher)  # Argon2id at the library's (RFC 9106) cost; tests put a cheap one here


@cache
def _hash_of_nobody() -> str:
    """Verified when the name is unknown, so that the answer takes as long as for a known one."""
    return hasher().hash("nobody has this password")


def find_member(username: str) -> Member | None:
    return db.session.scalar(select(Member).where(func.lower(Member.username) == username.strip().lower()))


def register(username: str, display_name: str, password: str, role: str = "member") -> Member | dict[str, str]:
    """A new member, or what to change: one sentence a field (`username`, `display_name`, `password`)."""
    username, display_name = username.strip(), display_name.strip()
    faults = {
        "username": rules.username_fault(username),
        "display_name": None if 1 <= len(display_name) <= 40 else "Use 1 to 40 characters.",
        "password": rules.password_fault(password, username),
    }
    refusals = {name: fault for name, fault in faults.items() if fault}
    if refusals:
        return refusals
    member = Member(username=username, display_name=display_name, password_hash=hasher().hash(password), role=role)
    db.session.add(member)
    try:
        db.session.commit()
    except IntegrityError:
        db.session.rollback()
        return {"username": "Somebody has this name already; choose another."}
    return member


def check_password(username: str, password: str) -> Member | None:
    """The member if name and password fit, else None; both take the same time."""
    member = find_member(username)
    try:
        hasher().verify(member.password_hash if member else _hash_of_nobody(), password)
    except (VerifyMismatchError, InvalidHashError):
        return None
    return member


def member_of(member_id: int, session_id: str) -> Member | None:
    """The member, unless this session was ended."""
    ended = select(EndedSession).where(EndedSession.id == session_id).exists()
    return db.session.scalar(select(Member).where(Member.id == member_id, ~ended))


def end_session(session_id: str, now: datetime) -> None:
    """From now on nobody is signed in with this session. Those whose cookies are too old by now are forgotten."""
    db.session.execute(insert(EndedSession).values(id=session_id, ended_at=now).on_conflict_do_nothing())
    db.session.execute(delete(EndedSession).where(EndedSession.ended_at < now - rules.LONGEST_SESSION))
    db.session.commit()
