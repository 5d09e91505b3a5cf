"""What a visitor was invited to, kept in their session so that the pages for signing in can say it.

Kept there, not looked up by the address, because a look-up would tell whether a guessed code fits.
"""

from __future__ import annotations

from flask import session

_INVITED = "invited"


def remember_invitation(path: str, name: str) -> None:
    """Remember that the page at `path` invites to `name`; a later invitation takes its place."""
    session[_INVITED] = [path, name]


def invited_to(path: str) -> str | None:
    """What the visitor joins at this path; None without an invitation to it."""
    invited_path, name = session.get(_INVITED, ("", None))
    return name if path == invited_path else None
