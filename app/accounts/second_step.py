"""Between the password and the session: who has a second factor is asked for it first.

The cookie notes who gave the right password, for a few minutes; nobody is signed in by that. Not
here: what a code or passkey must be (second_factors.py, passkeys.py).
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
class Given:
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


def current() -> Given | None:
    """Who gave the password a short while ago, if it is still their password."""
    held = session.get(_KEY)
    if not held or held["at"] < (clock.now() - LASTS).timestamp():
        return None
    member = db.session.get(Member, held["member"])
    return (
        Given(member, held["stays"])
        if member is not None and _mark(member) == held["password"]
        else None
    )


def end() -> None:
    """Forget it."""
    session.pop(_KEY, None)


def _mark(member: Member) -> str:
    """Tells one password from the next: every hash has a salt of its own."""
    return hashlib.sha256(member.password_hash.encode()).hexdigest()[:16]
