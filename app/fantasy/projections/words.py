"""Projections and chances as people read them. Pure."""

from __future__ import annotations

from fractions import Fraction

from app.fantasy.amounts import tenths_words


def projected_words(thousandths: int | Fraction) -> str:
    """Projected points with one decimal.

    >>> [projected_words(points) for points in (12_349, -250, Fraction(20_000, 3))]
    ['12.3', '-0.2', '6.7']
    """
    return tenths_words(round(thousandths / 100))


def percentages(chance: float) -> tuple[int, int]:
    """The chances of both sides in whole percent, 100 together.

    >>> percentages(0.626), percentages(0.9996), percentages(1.0)
    ((63, 37), (100, 0), (100, 0))
    """
    first = round(100 * chance)
    return first, 100 - first


def percent_words(chance: float) -> tuple[str, str]:
    """The chances of both sides in words; nothing that may still happen is 0% or 100%.

    >>> percent_words(0.626), percent_words(0.9996), percent_words(0.001), percent_words(1.0)
    (('63%', '37%'), ('>99%', '<1%'), ('<1%', '>99%'), ('100%', '0%'))
    """
    first, second = percentages(chance)
    if 0 < chance < 1 and not first:
        return "<1%", ">99%"
    if 0 < chance < 1 and not second:
        return ">99%", "<1%"
    return f"{first}%", f"{second}%"
