"""Notices about the next season. Pure."""

from __future__ import annotations

from app.core.bidi import isolated
from app.fantasy.notices.words import Words


def goes_on(league: str, season: str, *, has_keepers: bool) -> Words:
    """The league goes on in a new season.

    >>> goes_on("The Row", "NFL 2027", has_keepers=True).body
    'Choose whom you keep before the deadline.'
    """
    body = (
        "Choose whom you keep before the deadline."
        if has_keepers
        else "Everybody drafts anew. Your team is waiting for you."
    )
    return Words(f"{isolated(league)} goes on in {season}", body)
