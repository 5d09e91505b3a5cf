"""Whole numbers as people and programs write them, parsed the same way everywhere."""

from __future__ import annotations

import re

from markupsafe import Markup

MAX_ID = 2**63 - 1  # PostgreSQL's bigint
MAX_WHOLE = 2**31 - 1  # PostgreSQL's integer
_DIGITS = re.compile(r"[0-9]{1,19}")


def whole_number(text: object, *, most: int = MAX_WHOLE) -> int | None:
    """Parse a number of the digits 0 to 9, or return None.

    Signs, digits of other scripts and numbers above `most` are refused.

    >>> whole_number("12"), whole_number("²"), whole_number("-1"), whole_number("99999999999")
    (12, None, None, None)
    """
    if not isinstance(text, str) or not _DIGITS.fullmatch(text):
        return None
    number = int(text)
    return number if number <= most else None


def as_whole(text: str, *, most: int = MAX_WHOLE) -> int:
    """Parse for `request.args.get(name, type=as_whole)`.

    Raises ValueError, for which Flask uses the default.
    """
    number = whole_number(text, most=most)
    if number is None:
        raise ValueError(f"no whole number up to {most}")
    return number


def as_id(text: str) -> int:
    """Parse an id: `as_whole` up to a bigint. Raises ValueError."""
    return as_whole(text, most=MAX_ID)


def aligned(number: str) -> Markup:
    """A number in a table column, marked with its number of decimals so that points line up.

    >>> aligned("12.50"), aligned("7")
    (Markup('<span class="decimals-2">12.50</span>'), Markup('<span class="decimals-0">7</span>'))
    """
    return Markup('<span class="decimals-{}">{}</span>').format(
        len(str(number).partition(".")[2]), number
    )
