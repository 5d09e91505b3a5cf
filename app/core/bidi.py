"""Names inside sentences: their direction, and a period after them. Pure.

A right-to-left name is isolated, so that it does not reorder its neighbours.

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


def with_period(words: str) -> str:
    """Return a sentence with one period at its end, also after a name such as Harrison Jr.

    >>> with_period("You keep Ann Marsh"), with_period("You keep Marvin Harrison Jr.")
    ('You keep Ann Marsh.', 'You keep Marvin Harrison Jr.')
    """
    return words if words.rstrip(POP_ISOLATE).endswith(".") else f"{words}."
