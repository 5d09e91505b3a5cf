"""Isolate names by direction, so that a right-to-left name does not reorder its neighbours. Pure.

Table cells use the element `bdi` instead. The rule is Unicode's bidirectional algorithm
(UAX #9, 2.4 and 2.6).
"""

from __future__ import annotations

import unicodedata

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})


def isolated(name: str) -> str:
    r"""Return the name in a form that is safe beside numbers and other names in plain text.

    A name without right-to-left letters is returned unchanged. Names never contain isolation
    characters themselves (app/accounts/names.py).

    >>> isolated("Ann"), isolated("\u05d3\u05e0\u05d4") == "\u2068\u05d3\u05e0\u05d4\u2069"
    ('Ann', True)
    """
    if any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in name):
        return f"{FIRST_STRONG_ISOLATE}{name}{POP_ISOLATE}"
    return name
