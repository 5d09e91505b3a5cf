"""Whether every record that a mode can take has an exact place on its boards: pure, asked when a
mode is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.boards.order import Best, order_of
from app.boards.rules import EXACT_BITS, SUMMED, Aggregation, bound_limit

MAX_SUBSCORE_TITLE = 40


def bound_faults(
    aggregation: str, order: str, low: int, high: int, subscore: Mapping[str, Any] | None
) -> Iterator[tuple[str, str]]:
    """What is wrong with a mode whose scores go from `low` to `high`: the field, and what to do
    about it.
    """
    if order not in list(Best):
        yield "order", f"{order!r} is none of {', '.join(Best)}."
    limit = bound_limit(aggregation)
    fits = True
    for name, score in (("min_score", low), ("max_score", high)):
        if abs(score) <= limit:
            continue
        fits = False
        said = f"{score} is outside ±{limit}"
        if aggregation == Aggregation.SUM:
            said += f": a player's sum of {SUMMED:,} such scores would not be exact any more."
            yield name, f"{said} Use a bound within it, or fewer decimals."
        else:
            yield name, f"{said}, the range in which a board is exact. Use a bound within it."
    fault = (
        _subscore_fault(aggregation, low, high, subscore) if fits and subscore is not None else None
    )
    if fault is not None:
        yield "subscore", fault


def _subscore_fault(
    aggregation: str, low: int, high: int, subscore: Mapping[str, Any]
) -> str | None:
    least, most, order, title = (subscore[name] for name in ("min", "max", "order", "title"))
    if aggregation == Aggregation.SUM:
        return (
            "A sum has no subscore: each of its scores would have another one. Leave it out, or "
            "count the highest or "
            "the latest score."
        )
    if order not in list(Best):
        return f"order: {order!r} is none of {', '.join(Best)}."
    if not 1 <= len(title.strip()) <= MAX_SUBSCORE_TITLE:
        return f"title: give it one of 1 to {MAX_SUBSCORE_TITLE} characters."
    if least > most:
        return f"max: {most} is below min ({least})."
    if (bits := order_of(Best.HIGHEST, subscore).bits(low, high)) > EXACT_BITS:
        return (
            f"Scores of {low} to {high} with {most - least + 1:,} subscores each need {bits} bits, "
            "and a board holds "
            f"{EXACT_BITS}. Use narrower bounds of either, or coarser units."
        )
    return None
