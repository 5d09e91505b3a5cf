"""What an account must look like. Plain functions: no Flask, no database."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

ROLES = ("member", "scorer", "moderator", "operator")
STAFF = ("scorer", "moderator", "operator")

USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{2,29}")
PASSWORD_MIN = 10
PASSWORD_MAX = 200
# All but a shift count from the last use, to within SESSION_RENEWAL.
SESSION = timedelta(hours=12)
STAYING_SESSION = timedelta(days=30)  # for who ticked "Stay signed in on this device"
SESSION_RENEWAL = timedelta(hours=1)
LONGEST_SESSION = STAYING_SESSION + SESSION_RENEWAL


def session_end(role: str, *, begun: datetime, renewed: datetime, stays: bool, shift: timedelta) -> datetime:
    """When a session ends that was begun and last renewed then.

    Staff are signed in for one shift from its beginning, whatever they ticked; members for 12 hours after the last
    use, or 30 days when they stay signed in on the device.
    """
    if role in STAFF:
        return begun + shift
    return renewed + (STAYING_SESSION if stays else SESSION)


def username_fault(username: str) -> str | None:
    """A sentence that says what to change, or None.

    >>> username_fault("jo")
    'Use 3 to 30 letters, digits, dots, dashes or underscores, beginning with a letter or digit.'
    >>> username_fault("jo.lee")
    """
    if USERNAME.fullmatch(username):
        return None
    return "Use 3 to 30 letters, digits, dots, dashes or underscores, beginning with a letter or digit."


def password_fault(password: str, username: str) -> str | None:
    """A sentence that says what to change, or None. Length is what counts (NIST SP 800-63B, 5.1.1.2)."""
    if len(password) < PASSWORD_MIN:
        return f"Use at least {PASSWORD_MIN} characters; a few words in a row are easy to remember."
    if len(password) > PASSWORD_MAX:
        return f"Use at most {PASSWORD_MAX} characters."
    if password.lower() == username.lower():
        return "Choose a password that is not your username."
    return None
