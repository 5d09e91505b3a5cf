"""Setting a password, on the account page or by a one-time link.

This ends every other session and player token. The rules for passwords are in rules.py, checking
one is in services.py.
"""

from __future__ import annotations

from datetime import datetime

from app.accounts import links, member_sessions, rules, services
from app.accounts.models import Member
from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db


def change(member: Member, new: str, now: datetime, *, keeping: str | None = None) -> str | None:
    """Give the member a new password; only the session `keeping` goes on. Commits.

    Returns:
        What to change about the password, or None if it is set.
    """
    if fault := fault_of(new, member):
        return fault
    set_password(member, new, now, keeping=keeping)
    audit.record(Act.PASSWORD_CHANGED, actor_id=member.id, subject=f"member:{member.id}")
    db.session.commit()
    return None


def set_by_link(token: str, new: str, now: datetime) -> str | None:
    """Set the password and use up the link.

    Returns:
        None, or what to change about the password.

    Raises:
        LinkExpiredError: The link is unknown, used or too old.
    """
    link = links.find(token, "password", now)
    if link is None:
        raise LinkExpiredError
    member = link[1]
    if fault := rules.password_fault(new, member.username, member.display_name):
        return fault
    if not links.spend(token, "password", now):
        raise LinkExpiredError
    set_password(member, new, now)
    audit.record(
        Act.PASSWORD_CHANGED,
        actor_id=member.id,
        subject=f"member:{member.id}",
        details={"by": "link"},
    )
    db.session.commit()
    return None


class LinkExpiredError(Exception):
    """The link is unknown, used, or too old."""


def fault_of(new: str, member: Member) -> str | None:
    """Return what to change about a new password, or None."""
    if services.has_password(member, new):
        return "Choose a password that differs from your current one."
    return rules.password_fault(new, member.username, member.display_name)


def set_password(member: Member, new: str, now: datetime, *, keeping: str | None = None) -> None:
    """Set a password that `fault_of` accepts. The caller commits."""
    member.password_hash = services.hasher().hash(new)
    member_sessions.end_all(member.id, now, but=keeping)
    links.end_all(member.id, "password")
