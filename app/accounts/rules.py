"""Rules for accounts, passwords and sessions. Pure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

# Of staff; somebody without any is only a member.
ROLES = ("scorer", "moderator", "operator")

# `system`: as the device is set.
THEMES = ("system", "light", "dark")
TIME_FORMATS = ("system", "12", "24")

FIRST_BIRTH_YEAR = 1900
MINOR_UNTIL_AGE = 18  # a minor until the end of the year of this birthday

USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{2,29}")
PASSWORD_MIN = 10
PASSWORD_MAX = 200
LEAST_GUESSES = 10**8  # zxcvbn calls this safe if tries are slowed down, as throttle.py does
LONGEST_RATED = 72  # characters that zxcvbn looks at
# A session lasts so long after its last use, to within SESSION_RENEWAL.
SESSION = timedelta(hours=12)
STAYING_SESSION = timedelta(days=30)  # for those who ticked "Stay signed in on this device"
SESSION_RENEWAL = timedelta(hours=1)
LAST_DAY = timedelta(days=90)  # after its beginning a session ends, however often it is used
# So long after proving who they are, members may do what cannot be undone.
FRESH = timedelta(minutes=10)
LONGEST_SESSION = STAYING_SESSION + SESSION_RENEWAL


def session_end(
    *, is_staff: bool, begun: datetime, renewed: datetime, stays: bool, shift: timedelta
) -> datetime:
    """Return when a session ends that was begun and last renewed then.

    Staff are signed in for one shift, whatever they ticked. Members are signed in for 12 hours
    after the last use, or for 30 days if they stay signed in on the device, but at most for 90
    days.
    """
    if is_staff:
        return begun + shift
    return min(renewed + (STAYING_SESSION if stays else SESSION), begun + LAST_DAY)


def initials(name: str) -> str:
    """Return the first letters or digits of the first and the last word of a name, in capitals.

    >>> initials("Ann Marie Abara"), initials("bob"), initials("(the) 3rd string"), initials("!")
    ('AA', 'B', 'TS', '?')
    """
    words = [[letter for letter in word if letter.isalnum()] for word in name.split()]
    letters = [word[0] for word in words if word]
    return "".join(letters[:1] + letters[1:][-1:]).upper()[:2] or "?"


def is_minor(birth_year: int | None, year: int) -> bool:
    """Whether somebody of this year of birth is a minor in that year; without one nobody is.

    >>> is_minor(2008, 2026), is_minor(2007, 2026), is_minor(None, 2026)
    (True, False, False)
    """
    return birth_year is not None and year <= birth_year + MINOR_UNTIL_AGE


def username_fault(username: str) -> str | None:
    """Return a sentence that says what to change, or None.

    >>> username_fault("jo")
    'Use 3 to 30 letters, digits, dots, dashes or underscores. Start with a letter or digit.'
    >>> username_fault("jo.lee")
    """
    if USERNAME.fullmatch(username):
        return None
    return "Use 3 to 30 letters, digits, dots, dashes or underscores. Start with a letter or digit."


def password_fault(password: str, username: str, display_name: str = "") -> str | None:
    """Return a sentence that says what to change, or None.

    Length is what counts (NIST SP 800-63B, 5.1.1.2), except for what everybody guesses first:
    breached passwords, names, years, rows of keys. zxcvbn knows those and estimates the number of
    guesses; nothing leaves this machine.

    >>> password_fault("password123", "ann")
    'This password is too common. Choose a few random words instead.'
    >>> password_fault("four words in line", "ann")
    """
    if len(password) < PASSWORD_MIN:
        return f"Use at least {PASSWORD_MIN} characters. A few random words are easy to remember."
    if len(password) > PASSWORD_MAX:
        return f"Use at most {PASSWORD_MAX} characters."
    if password.lower() == username.lower():
        return "Your password can't be your username."
    if _is_refused(password) or _guesses(password, username, display_name) < LEAST_GUESSES:
        return "This password is too common. Choose a few random words instead."
    return None


def _guesses(password: str, *about_the_member: str) -> int:
    from zxcvbn import zxcvbn  # its lists take 10 MB, which only a new password needs

    personal_words = [
        word for text in ("pressbox", *about_the_member) for word in (text, *text.split()) if word
    ]
    return int(zxcvbn(password[:LONGEST_RATED], user_inputs=personal_words)["guesses"])


def _is_refused(password: str) -> bool:
    """Whether the password is in our list of sayings and breached passwords."""
    return "".join(filter(str.isalnum, password.lower())) in _refused_passwords()


@cache
def _refused_passwords() -> frozenset[str]:
    lines = (Path(__file__).parent / "refused_passwords.txt").read_text().splitlines()
    return frozenset(
        "".join(filter(str.isalnum, line)) for line in lines if not line.startswith("#")
    )
