"""The state between the password and the session, if a member has a second factor.

The cookie notes for a few minutes who gave the right password; that does not sign them in. Codes
and passkeys are checked by second_factors.py and passkeys.py.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta

from flask import session

from app.accounts.models import Member
from app.core import clock
from app.core.db import db

LASTS = timedelta(minutes=10)
_KEY = "password_given"


@dataclass(frozen=True)
class PasswordGiven:
    """Who gave the password, and whether they want to stay signed in."""

    member: Member
    stays: bool


def begin(member: Member, *, stays: bool) -> None:
    """Remember who gave the right password."""
    session[_KEY] = {
        "member": member.id,
        "password": _mark(member),
        "stays": stays,
        "at": int(clock.now().timestamp()),
    }


def current() -> PasswordGiven | None:
    """Return who gave the password a short while ago, if it is still their password."""
    noted = session.get(_KEY)
    if not noted or noted["at"] < (clock.now() - LASTS).timestamp():
        return None
    member = db.session.get(Member, noted["member"])
    if member is None or _mark(member) != noted["password"]:
        return None
    return PasswordGiven(member, noted["stays"])


def end() -> None:
    """Forget who gave the password."""
    session.pop(_KEY, None)


def _mark(member: Member) -> str:
    """Return a mark that changes with the password: every hash has its own salt."""
    return hashlib.sha256(member.password_hash.encode()).hexdigest()[:16]
