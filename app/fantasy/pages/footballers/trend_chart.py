"""A value over a season as a small line chart, in the coordinates of its drawing. Pure.

The chart needs no JavaScript, and a table beside it has the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 300, 80
EDGE = 8


@dataclass(frozen=True)
class Trend:
    """A line. `points`: as in `x,y x,y`; `end`: its last point."""

    points: str
    end: tuple[float, float]


def trend(values: Sequence[int]) -> Trend:
    """The values evenly spaced from left to right, the highest on top.

    A value that never changes is a line in the middle.

    >>> trend([50, 50, 60]).points
    '8.0,72.0 150.0,72.0 292.0,8.0'
    >>> trend([7, 7]).points
    '8.0,40.0 292.0,40.0'
    """
    low, high = min(values), max(values)

    def x(place: int) -> float:
        return round(EDGE + (WIDTH - 2 * EDGE) * (place / max(1, len(values) - 1)), 1)

    def y(value: int) -> float:
        return (
            round(HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * ((value - low) / (high - low)), 1)
            if high > low
            else 40.0
        )

    places = [(x(place), y(value)) for place, value in enumerate(values)]
    return Trend(" ".join(f"{a},{b}" for a, b in places), places[-1])
