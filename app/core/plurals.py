"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun; `plural` if that is not the noun with an s.

    >>> counted(1, "team"), counted(3, "week"), counted(1_200, "match", "matches")
    ('1 team', '3 weeks', '1,200 matches')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
