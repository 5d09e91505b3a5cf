"""Numbers as people and programs write them, parsed the same way everywhere.

`whole_number` reads what programs write. `typed_whole` and `typed_decimal` read what people type or
keep in files: they ignore blanks around the number, a leading `$` or `+`, and the full-width forms
that keyboards for Chinese and Japanese produce. None of them has a default: what is no number is
None, and the caller refuses it.
"""

from __future__ import annotations

import re
from decimal import Decimal

from markupsafe import Markup

MAX_ID = 2**63 - 1  # PostgreSQL's bigint
MAX_WHOLE = 2**31 - 1  # PostgreSQL's integer
_DIGITS = re.compile(r"[0-9]{1,19}")
_ASCII_FORMS = {
    **{0xFF10 + digit: str(digit) for digit in range(10)},  # full-width digits
    0xFF04: "$",
    0xFF0B: "+",
    0xFF0C: ",",
    0xFF0E: ".",
    ord("\N{MINUS SIGN}"): "-",
}


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


def typed_whole(text: str | None, *, most: int = MAX_WHOLE) -> int | None:
    """Parse a whole number as people type it, or return None.

    >>> [typed_whole(text) for text in ("15 ", "$15", "+15", "\uff11\uff15")]
    [15, 15, 15, 15]
    >>> [typed_whole(text) for text in ("15.0", "1e3", "-1", "abc", "")]
    [None, None, None, None, None]
    """
    return whole_number(_plain(text or "").removeprefix("+"), most=most)


def typed_decimal(text: str | None, scale: int, *, mark: str = ".,") -> int | None:
    """Parse a decimal number as people type it, times `scale` if that is whole; else None.

    Groups of thousands are refused, except that `1,234` is a number with three decimals.

    Args:
        text: The number as it was typed.
        scale: How many units one is, for example 1000 for thousandths.
        mark: The characters that may stand before the decimals.

    >>> typed_decimal("4.5", 1000), typed_decimal("-0,25", 1000), typed_decimal("$7", 10)
    (4500, -250, 70)
    >>> typed_decimal("1.23", 10), typed_decimal("1e3", 1), typed_decimal("90,5", 10, mark=".")
    (None, None, None)
    """
    number = re.fullmatch(
        rf"([+-]?[0-9]{{1,9}})(?:[{re.escape(mark)}]([0-9]{{1,9}}))?", _plain(text or "")
    )
    if number is None:
        return None
    scaled = Decimal(f"{number[1]}.{number[2] or 0}") * scale
    return int(scaled) if scaled == scaled.to_integral_value() else None


def _plain(text: str) -> str:
    """A number without blanks around it and a leading dollar sign, in ASCII characters."""
    # str.strip removes no-break and other blanks of Unicode too
    return text.translate(_ASCII_FORMS).strip().removeprefix("$").strip()


def aligned(number: str) -> Markup:
    """A number in a table column, marked with its number of decimals so that points line up.

    >>> aligned("12.50"), aligned("7")
    (Markup('<span class="decimals-2">12.50</span>'), Markup('<span class="decimals-0">7</span>'))
    """
    return Markup('<span class="decimals-{}">{}</span>').format(
        len(str(number).partition(".")[2]), number
    )
