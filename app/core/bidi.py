"""Names in sentences and headings keep their own direction, so that a right-to-left name moves
nothing beside it. Pure.

Table cells have the element `bdi` instead. The rule: Unicode's bidirectional algorithm (UAX #9),
2.4 and 2.6.
"""

from __future__ import annotations

import unicodedata

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})


def isolated(name: str) -> str:
    """The name as it can stand beside numbers, punctuation and other names in any plain text.

    A name without right-to-left letters is returned as it is. No name has such characters of its
    own: names.py.

    >>> isolated("Ann"), isolated("\u05d3\u05e0\u05d4") == "\u2068\u05d3\u05e0\u05d4\u2069"
    ('Ann', True)
    """
    if any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in name):
        return f"{FIRST_STRONG_ISOLATE}{name}{POP_ISOLATE}"
    return name
