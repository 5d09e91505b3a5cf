"""The race as a line chart, in the coordinates of its drawing. Pure.

The chart needs no JavaScript, and a table beside it has the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.amounts import decimal_points, same_decimals
from app.fantasy.leagues.history import Race, Racer

LABEL_GAP = 21
MOST_STEPS = 5  # between the ticks of an axis


@dataclass(frozen=True)
class Shape:
    """The size and margins of a drawing.

    `names`: the most gameweeks that are named below it; `letters`: those of a name beside a line.
    """

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    names: int
    letters: int


WIDE = Shape(960, 460, 84, 230, 20, 48, 22, 26)
# for phones: its letters are as large as the page's
NARROW = Shape(400, 340, 66, 116, 18, 36, 9, 12)


@dataclass(frozen=True)
class Line:
    """A team's line.

    Attributes:
        points: As in `x,y x,y`.
        end: The last point.
        label_y: Where the name stands, clear of the others.
        values: The value after each gameweek in words; a dash before the team joined.
    """

    member_id: int
    name: str
    points: str
    end: tuple[float, float]
    label_y: float
    values: Sequence[str]


@dataclass(frozen=True)
class Tick:
    """A mark on an axis. `text`: empty if there is no room for it."""

    at: float
    text: str


@dataclass(frozen=True)
class Chart:
    """The race, in the coordinates of its drawing."""

    shape: Shape
    lines: Sequence[Line]
    weeks: Sequence[Tick]
    values: Sequence[Tick]


def charts(race: Race, by: str) -> list[Chart]:
    """The race for wide and for narrow screens."""
    return [chart(race, by, WIDE), chart(race, by, NARROW)]


def chart(race: Race, by: str, shape: Shape = WIDE) -> Chart:
    """Draw ranks (`by` is `rank`), or points behind the leader. The first is on top.

    A team's line begins with its first gameweek in the league.
    """
    series = [_values(race, racer, by) for racer in race.chart]
    known = [value for values in series for value in values if value is not None]
    if by == "rank":
        low, high, unit = 1, max([2, *known]), 1
    else:
        low, high, unit = 0, max([1000, *known]), 1000

    def x(week: int) -> float:
        return round(
            shape.left
            + (shape.width - shape.left - shape.right) * (week / max(1, len(race.weeks) - 1)),
            1,
        )

    def y(value: int) -> float:
        return round(
            shape.top + (shape.height - shape.top - shape.bottom) * ((value - low) / (high - low)),
            1,
        )

    drawn = []
    for racer, values in zip(race.chart, series, strict=True):
        places = [(x(week), y(value)) for week, value in enumerate(values) if value is not None]
        if places:
            drawn.append((racer, values, places))
    labels = _apart([places[-1][1] for _, _, places in drawn], shape.height - shape.bottom)
    behind = same_decimals(-value for value in known)
    lines = [
        Line(
            racer.member_id,
            racer.team_name,
            " ".join(f"{a},{b}" for a, b in places),
            places[-1],
            label,
            [_exactly(value, by, behind) for value in values],
        )
        for (racer, values, places), label in zip(drawn, labels, strict=True)
    ]
    step = -(-len(race.weeks) // shape.names)
    weeks = [
        Tick(x(place), str(week) if place % step == 0 else "")
        for place, week in enumerate(race.weeks)
    ]
    return Chart(
        shape,
        lines,
        weeks,
        [Tick(y(value), _words(value, by)) for value in _ticks(low, high, unit)],
    )


def _values(race: Race, racer: Racer, by: str) -> list[int | None]:
    if by == "rank":
        return list(racer.ranks)
    return [
        None if total is None else leader - total
        for leader, total in zip(race.leader, racer.totals, strict=True)
    ]


def _words(value: int, by: str) -> str:
    if by == "rank":
        return str(value)
    return f"-{decimal_points(value).partition('.')[0]}" if value else "Leader"


def _exactly(value: int | None, by: str, behind: Mapping[int, str]) -> str:
    if value is None:
        return "–"
    if by == "rank":
        return str(value)
    return behind[-value] if value else "Leader"


def _ticks(low: int, high: int, unit: int) -> list[int]:
    """Six values or fewer, evenly apart by a round number of units, from `low` on.

    >>> _ticks(0, 21_500, 1000), _ticks(1, 12, 1)
    ([0, 5000, 10000, 15000, 20000], [1, 3, 5, 7, 9, 11])
    """
    while True:
        for step in (unit, 2 * unit, 5 * unit):
            if (high - low) // step <= MOST_STEPS:
                return list(range(low, high + 1, step))
        unit *= 10


def _apart(heights: Sequence[float], lowest: float) -> list[float]:
    """Space the labels out, as near to their own heights as possible.

    They keep their order, stand LABEL_GAP apart, and none is below `lowest`.

    >>> _apart([10, 12, 100], 412)
    [10, 31, 100]
    >>> _apart([10, 405, 410], 412)
    [10, 391, 412]
    """
    placed = list(heights)
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    last = float("-inf")
    for index in order:
        last = placed[index] = max(placed[index], last + LABEL_GAP)
    limit = lowest
    for index in reversed(order):
        placed[index] = min(placed[index], limit)
        limit = placed[index] - LABEL_GAP
    return placed
