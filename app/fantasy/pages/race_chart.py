"""The race as a drawing: lines of a chart in its own coordinates. Pure.

The server draws it: it works without JavaScript, prints, and has its numbers in a table beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.fantasy.amounts import decimal_points
from app.fantasy.leagues.history import Race, Racer

WIDTH, HEIGHT = 960, 460
LEFT, RIGHT, TOP, BOTTOM = 84, 230, 20, 48
LABEL_GAP = 21


@dataclass(frozen=True)
class Line:
    """`points`: `x,y x,y`. `label_y`: where its name stands, clear of the others'."""

    member_id: int
    name: str
    points: str
    end: tuple[float, float]
    label_y: float


@dataclass(frozen=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True)
class Chart:
    lines: Sequence[Line]
    weeks: Sequence[Tick]
    values: Sequence[Tick]


def chart(race: Race, by: str) -> Chart:
    """`by` 'rank': ranks, the first on top. Else points behind the leader, who is on top.

    A team's line begins with its first gameweek in the league.
    """
    series = [_values(race, racer, by) for racer in race.chart]
    known = [value for values in series for value in values if value is not None]
    if by == "rank":
        low, high, unit = 1, max([2, *known]), 1
    else:
        low, high, unit = 0, max([1000, *known]), 1000

    def x(week: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (week / max(1, len(race.weeks) - 1)), 1)

    def y(value: int) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * ((value - low) / (high - low)), 1)

    drawn = []
    for racer, values in zip(race.chart, series, strict=True):
        places = [(x(week), y(value)) for week, value in enumerate(values) if value is not None]
        if places:
            drawn.append((racer, places))
    labels = _apart([places[-1][1] for _, places in drawn])
    lines = [
        Line(racer.member_id, racer.team_name, " ".join(f"{a},{b}" for a, b in places), places[-1], label)
        for (racer, places), label in zip(drawn, labels, strict=True)
    ]
    weeks = [Tick(x(place), str(week)) for place, week in enumerate(race.weeks)]
    return Chart(lines, weeks, [Tick(y(value), _words(value, by)) for value in _ticks(low, high, unit)])


def _values(race: Race, racer: Racer, by: str) -> list[int | None]:
    if by == "rank":
        return list(racer.ranks)
    return [None if total is None else leader - total for leader, total in zip(race.leader, racer.totals, strict=True)]


def _words(value: int, by: str) -> str:
    return str(value) if by == "rank" else "Leader" if value == 0 else f"-{decimal_points(value).partition('.')[0]}"


def _ticks(low: int, high: int, unit: int) -> list[int]:
    """Six values or fewer, evenly apart by a round number of units, from `low` on.

    >>> _ticks(0, 21_500, 1000), _ticks(1, 12, 1)
    ([0, 5000, 10000, 15000, 20000], [1, 3, 5, 7, 9, 11])
    """
    while True:
        for step in (unit, 2 * unit, 5 * unit):
            if (high - low) // step <= 5:
                return list(range(low, high + 1, step))
        unit *= 10


def _apart(wanted: Sequence[float]) -> list[float]:
    """Heights as near to the wanted ones as can be, LABEL_GAP apart, in their order.

    >>> _apart([10, 12, 100])
    [10, 31, 100]
    """
    placed = [0.0] * len(wanted)
    last = float("-inf")
    for index in sorted(range(len(wanted)), key=lambda index: wanted[index]):
        last = placed[index] = max(wanted[index], last + LABEL_GAP)
    over = max([0.0, *(height - (HEIGHT - BOTTOM) for height in placed)])
    return [round(height - over, 1) if over else height for height in placed]
