"""Tells people from placeholders: accounts that stand in for teams that nobody runs.

A placeholder is a row of `members` because line-ups, scores and matchups belong to members. Nobody
can sign in to it, so every rule about people leaves it out; rules about teams do not.
`app/fantasy/leagues/owners.py` writes them.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement

from app.accounts.models import Member

# Nobody can register such a username, because a username has no colon.
PREFIX = "franchise:"
PERSON = f"{{0}}.username NOT LIKE '{PREFIX}%'"  # an SQL condition; {0} is an alias of members


def is_person() -> ColumnElement[bool]:
    """Return a condition on Member: whether the account is somebody's."""
    return ~Member.username.startswith(PREFIX, autoescape=True)
