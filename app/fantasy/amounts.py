"""Points and money as people read them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import trunc


def decimal_points(thousandths: int | Fraction) -> str:
    """Points with two decimals, or with three if the third is not 0.

    Averages are cut to thousandths.

    >>> [decimal_points(p) for p in (12_920, -2_000, 500, -125, Fraction(20_000, 3))]
    ['12.92', '-2.00', '0.50', '-0.125', '6.666']
    """
    whole, decimals = divmod(abs(trunc(thousandths)), 1000)
    digits = f"{decimals:03d}"
    return f"{'-' if thousandths < 0 else ''}{whole}.{digits[:2] if digits[2] == '0' else digits}"


def signed_points(thousandths: int) -> str:
    """Points with their sign; 0 has none.

    >>> [signed_points(p) for p in (6_000, -2_500, 0)]
    ['+6.00', '-2.50', '0.00']
    """
    return f"{'+' if thousandths > 0 else ''}{decimal_points(thousandths)}"


def same_decimals(thousandths: Iterable[int]) -> dict[int, str]:
    """Each amount with two decimals, or all with three if one needs them.

    >>> same_decimals([500, -125]), same_decimals([500, 1000])
    ({500: '0.500', -125: '-0.125'}, {500: '0.50', 1000: '1.00'})
    """
    words = {amount: decimal_points(amount) for amount in thousandths}
    longest = max((len(word.partition(".")[2]) for word in words.values()), default=0)
    return {
        amount: word.ljust(len(word.partition(".")[0]) + 1 + longest, "0")
        for amount, word in words.items()
    }


def tenths_words(tenths: int) -> str:
    """Tenths as a number with one decimal.

    >>> [tenths_words(t) for t in (1000, 45, -3)]
    ['100.0', '4.5', '-0.3']
    """
    whole, tenth = divmod(abs(tenths), 10)
    return f"{'-' if tenths < 0 else ''}{whole}.{tenth}"
