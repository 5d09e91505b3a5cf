"""A value over a season as a small chart of a line or of bars, in the coordinates of its drawing.

Pure. They need no JavaScript; a table beside them, or their text alternative, has the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.amounts import decimal_points

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


BAR_STEP, BAR_WIDTH, BARS_HEIGHT = 8, 6, 24


@dataclass(frozen=True)
class Bar:
    """A bar of a chart of bars, in the coordinates of its drawing."""

    x: int
    y: int
    height: int
    is_less: bool


def bars(values: Sequence[int]) -> tuple[Bar, ...]:
    """The values as bars from left to right, the highest as high as the drawing.

    A value of 0 is a line, one below 0 a short bar that is marked.

    >>> [(bar.x, bar.y, bar.height, bar.is_less) for bar in bars([12, 0, 6, -1])]
    [(0, 0, 24, False), (8, 23, 1, False), (16, 12, 12, False), (24, 21, 3, True)]
    """
    highest = max((value for value in values if value > 0), default=1)
    heights = _heights(values, BARS_HEIGHT, highest)
    return tuple(
        Bar(BAR_STEP * place, BARS_HEIGHT - height, height, value < 0)
        for place, (value, height) in enumerate(zip(values, heights, strict=True))
    )


def _heights(values: Sequence[int], full: int, highest: int) -> list[int]:
    return [3 if value < 0 else max(1, full * value // highest) for value in values]


@dataclass(frozen=True)
class WeekBars:
    """Points by gameweek as bars, and the same in words: `9: -1.00, 10: 6.50`."""

    bars: tuple[Bar, ...]
    words: str

    @property
    def width(self) -> int:
        """The width of the drawing."""
        return BAR_STEP * len(self.bars)


def week_bars(weeks: Mapping[str, int], most: int) -> WeekBars | None:
    """The points of the last gameweeks in which a player played, at most so many; None without one.

    >>> week_bars({"2": 3000, "10": 6500, "9": -1000}, 2).words
    '9: -1.00, 10: 6.50'
    """
    played = sorted((int(week), points) for week, points in weeks.items())[-most:]
    if not played:
        return None
    return WeekBars(
        bars([points for _, points in played]),
        ", ".join(f"{week}: {decimal_points(points)}" for week, points in played),
    )


GAME_STEP, GAME_WIDTH = 38, 24
PLOT_LEFT, PLOT_TOP, PLOT_HEIGHT = 26, 20, 100
MOST_STEPS = 3  # between the ticks of the axis


@dataclass(frozen=True)
class GameBar:
    """A game's bar with the words on it. `middle`: of the bar, from the left."""

    bar: Bar
    middle: int
    points: str
    opponent: str
    week: int


@dataclass(frozen=True)
class GameBars:
    """Points by game. `ticks`: height and points of the axis; `words`: the same in words."""

    bars: tuple[GameBar, ...]
    ticks: tuple[tuple[int, int], ...]
    words: str

    @property
    def width(self) -> int:
        """The width of the drawing."""
        return PLOT_LEFT + GAME_STEP * len(self.bars)


def game_bars(games: Sequence[tuple[int, str, int]]) -> GameBars | None:
    """Draw the points of games, the earliest first; a single game needs no chart.

    Args:
        games: Week, opponent and points in thousandths.

    >>> drawn = game_bars([(1, "vs SUM", 12_500), (2, "at HRB", -1000)])
    >>> drawn.words, drawn.ticks
    ('1 vs SUM: 12.50, 2 at HRB: -1.00', ((120, 0), (80, 5), (40, 10)))
    >>> [(bar.bar.x, bar.bar.y, bar.bar.height, bar.middle) for bar in drawn.bars]
    [(33, 20, 100, 45), (71, 117, 3, 83)]
    >>> game_bars([(1, "vs SUM", 0)]) is None
    True
    """
    if len(games) < 2:  # noqa: PLR2004 (two make a chart)
        return None
    values = [points for _, _, points in games]
    highest = max(1000, *values)
    floor = PLOT_TOP + PLOT_HEIGHT
    margin = (GAME_STEP - GAME_WIDTH) // 2
    drawn = []
    heights = _heights(values, PLOT_HEIGHT, highest)
    for place, ((week, opponent, points), height) in enumerate(zip(games, heights, strict=True)):
        x = PLOT_LEFT + GAME_STEP * place + margin
        bar = Bar(x, floor - height, height, points < 0)
        middle = x + GAME_WIDTH // 2
        drawn.append(GameBar(bar, middle, decimal_points(points), opponent, week))
    steps = (step for step in (1, 2, 5, 10, 20, 50, 100) if highest // 1000 // step <= MOST_STEPS)
    ticks = range(0, highest // 1000 + 1, next(steps, 1000))
    return GameBars(
        tuple(drawn),
        tuple((floor - PLOT_HEIGHT * 1000 * tick // highest, tick) for tick in ticks),
        ", ".join(f"{bar.week} {bar.opponent}: {bar.points}" for bar in drawn),
    )
