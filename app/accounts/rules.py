"""What an account must look like. Plain functions: no Flask, no database."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

# of staff; somebody without any is a member and nothing else
ROLES = ("scorer", "moderator", "operator")

USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{2,29}")
PASSWORD_MIN = 10
PASSWORD_MAX = 200
LEAST_GUESSES = 10**8  # what zxcvbn calls safe where tries are slowed down, as throttle.py does
LONGEST_RATED = 72  # characters that zxcvbn looks at
# All but a shift count from the last use, to within SESSION_RENEWAL.
SESSION = timedelta(hours=12)
STAYING_SESSION = timedelta(days=30)  # for who ticked "Stay signed in on this device"
SESSION_RENEWAL = timedelta(hours=1)
LAST_DAY = timedelta(days=90)  # after its beginning a session ends, however much it is used
# how long after proving who they are a member may do what cannot be undone
FRESH = timedelta(minutes=10)
LONGEST_SESSION = STAYING_SESSION + SESSION_RENEWAL


def session_end(
    *, is_staff: bool, begun: datetime, renewed: datetime, stays: bool, shift: timedelta
) -> datetime:
    """When a session ends that was begun and last renewed then.

    Staff are signed in for one shift from its beginning, whatever they ticked; members for 12 hours
    after the last use, or 30 days when they stay signed in on the device, and for 90 days from its
    beginning at most.
    """
    if is_staff:
        return begun + shift
    return min(renewed + (STAYING_SESSION if stays else SESSION), begun + LAST_DAY)


def username_fault(username: str) -> str | None:
    """A sentence that says what to change, or None.

    >>> username_fault("jo")
    'Use 3 to 30 letters, digits, dots, dashes or underscores, beginning with a letter or digit.'
    >>> username_fault("jo.lee")
    """
    if USERNAME.fullmatch(username):
        return None
    return (
        "Use 3 to 30 letters, digits, dots, dashes or underscores, beginning with a letter or "
        "digit."
    )


def password_fault(password: str, username: str, display_name: str = "") -> str | None:
    """A sentence that says what to change, or None.

    Length is what counts (NIST SP 800-63B, 5.1.1.2), but for what everybody guesses first: breached
    passwords, names, years, rows of keys. zxcvbn knows those, and estimates the guesses it takes;
    nothing leaves this machine.

    >>> password_fault("password123", "ann")
    'Anybody would guess that soon. Choose a few words in a row that nobody else would.'
    >>> password_fault("four words in line", "ann")
    """
    if len(password) < PASSWORD_MIN:
        return f"Use at least {PASSWORD_MIN} characters; a few words in a row are easy to remember."
    if len(password) > PASSWORD_MAX:
        return f"Use at most {PASSWORD_MAX} characters."
    if password.lower() == username.lower():
        return "Choose a password that is not your username."
    if _known(password) or _guesses(password, username, display_name) < LEAST_GUESSES:
        return "Anybody would guess that soon. Choose a few words in a row that nobody else would."
    return None


def _guesses(password: str, *about_the_member: str) -> int:
    from zxcvbn import zxcvbn  # with its lists 10 MB, that only a new password needs

    own_words = [
        word for text in ("pressbox", *about_the_member) for word in (text, *text.split()) if word
    ]
    return int(zxcvbn(password[:LONGEST_RATED], user_inputs=own_words)["guesses"])


def _known(password: str) -> bool:
    """Whether the password is in the list that we ship: sayings and breached passwords."""
    return "".join(filter(str.isalnum, password.lower())) in _refused_passwords()


@cache
def _refused_passwords() -> frozenset[str]:
    lines = (Path(__file__).parent / "refused_passwords.txt").read_text().splitlines()
    return frozenset(
        "".join(filter(str.isalnum, line)) for line in lines if not line.startswith("#")
    )
