"""The view models of the boards' pages: words and figures as they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import ceil
from uuid import UUID

from app.boards.groups.small_board import ModeWindow, SmallBoard
from app.boards.models import Mode, ScoreGame
from app.boards.order import Order
from app.boards.player_names import UNKNOWN
from app.boards.reads import Row, View
from app.boards.services import REDIS, Reading
from app.boards.windows.rules import (
    ALL_TIME,
    CUSTOM,
    DAILY,
    HOURLY,
    HOURS,
    MONTHLY,
    WEEKLY,
    Window,
    title,
)
from app.core.http.pagination import page_count

PAGE_ROWS = 25

COUNTED = {
    "highest": {"highest": "The highest score counts", "lowest": "The lowest score counts"},
    "sum": {
        "highest": "All scores add up",
        "lowest": "All scores add up, lowest total wins",
    },
    "latest": {
        "highest": "The latest score counts",
        "lowest": "The latest score counts, lowest is best",
    },
}
TIED = {
    "shared": "ties share a rank (1, 2, 2, 4)",
    "dense": "ties share a rank (1, 2, 2, 3)",
    "earliest": "ties: first to reach it ranks higher",
}
KIND_TITLES = {
    **{kind: f"{hours} hours" for kind, hours in HOURS.items()},
    HOURLY: "Hour",
    DAILY: "Day",
    WEEKLY: "Week",
    MONTHLY: "Month",
    CUSTOM: "Custom",
    ALL_TIME: "All time",
}


def rule_words(mode: Mode) -> str:
    """Describe in a sentence how the mode counts and ranks."""
    words, second = COUNTED[mode.aggregation][mode.order], mode.ordering.subscore
    if second is not None:
        words += f"; ties broken by {second.best} {second.title}"
    updated = f" Updated every {mode.update_seconds} seconds." if mode.update_seconds else ""
    return f"{words}; {TIED[mode.ties]}.{updated}"


def points(score: int, decimals: int) -> str:
    """Format a score in points, with separators between thousands.

    >>> points(-1234500, 2), points(1200, 0)
    ('-12,345.00', '1,200')
    """
    whole, fraction = divmod(abs(score), 10**decimals)
    sign = "-" if score < 0 else ""
    return f"{sign}{whole:,}" + (f".{fraction:0{decimals}d}" if decimals else "")


def subscore_words(order: Order, subscore: int | None) -> str:
    """Format a subscore with its title; empty if there is none.

    >>> from app.boards.order import Subscore
    >>> subscore_words(Order(subscore=Subscore(0, 100, title="Accuracy")), 95)
    'Accuracy 95'
    """
    return (
        "" if order.subscore is None or subscore is None else f"{order.subscore.title} {subscore:,}"
    )


@dataclass(frozen=True)
class Line:
    """A row as it is shown; `value` changes whenever the row does.

    `subscore` is empty if there is none.
    """

    member: str
    rank: str
    name: str
    points: str
    is_me: bool
    value: str
    subscore: str = ""


@dataclass(frozen=True)
class Me:
    """The viewer's own place.

    `top` is the percentage of players they are among, in whole percents from 1; None on a small
    board. `subscore` includes its title.
    """

    rank: str
    points: str
    top: int | None
    subscore: str = ""


@dataclass(frozen=True)
class BoardPage:
    """One page of a board.

    `around` is empty if the viewer has no place or stands on this page anyway.
    """

    game: ScoreGame
    mode: Mode
    window: Window
    title: str
    count: str
    lines: Sequence[Line]
    me: Me | None
    around: Sequence[Line]
    page: int
    pages: int
    is_open: bool
    from_redis: bool
    is_merged: bool
    as_of: str
    # when every place was last compared with PostgreSQL; empty in a board's first seconds
    verified: str = ""

    @property
    def version(self) -> str:
        """A text that changes with everything shown, except for the time of a live read."""
        merged = self.as_of if self.is_merged else ""
        parts = (
            self.count,
            self.lines,
            self.me,
            self.around,
            self.is_open,
            self.from_redis,
            merged,
        )
        return sha256(repr(parts).encode()).hexdigest()[:16]


def board_page(
    reading: Reading, view: View, names: Mapping[str, str], me: str | None, page: int
) -> BoardPage:
    """Build page number `page` (from 1) of a board, with the place of the viewer `me`.

    `view` holds the PAGE_ROWS rows of the page.
    """
    mode = reading.mode
    on_page = {row.member for row in view.rows}
    mine = view.me
    top = max(1, ceil(100 - mine.percentile + 100 / view.count)) if mine else 0
    ends, as_of = reading.window.ends, view.as_of or reading.as_of
    verified_at = reading.record.verified_at if reading.record else None
    return BoardPage(
        game=reading.game,
        mode=mode,
        window=reading.window,
        title=title(reading.window),
        count=f"{view.count:,}",
        lines=[_line(row, mode, names, me) for row in view.rows],
        me=_me(mine, mode, min(top, 100)) if mine else None,
        around=[_line(row, mode, names, me) for row in view.around]
        if mine and mine.member not in on_page
        else [],
        page=page,
        pages=page_count(view.count, PAGE_ROWS),
        is_open=ends is None or as_of < ends,
        from_redis=reading.source == REDIS or reading.record is None,
        is_merged=view.as_of is not None,
        as_of=f"{as_of:%H:%M:%S} UTC",
        verified=f"{verified_at:%H:%M:%S} UTC" if verified_at else "",
    )


def small_board_page(
    board: SmallBoard,
    place: ModeWindow,
    window: Window,
    names: Mapping[UUID, str],
    page: int,
) -> BoardPage:
    """Build the page of a small board."""
    mode = place.mode
    called = {str(player): name for player, name in names.items()}
    mine = board.me
    return BoardPage(
        game=place.game,
        mode=mode,
        window=window,
        title=title(window),
        count=f"{board.count:,}",
        lines=[_line(row, mode, called, mine.member if mine else None) for row in board.rows],
        me=_me(mine, mode, None) if mine else None,
        around=[],
        page=page,
        pages=page_count(board.count, PAGE_ROWS),
        is_open=window.ends is None or board.as_of < window.ends,
        from_redis=board.source == REDIS and not board.is_cached,
        is_merged=False,
        as_of=f"{board.as_of:%H:%M:%S} UTC",
    )


def _me(mine: Row, mode: Mode, top: int | None) -> Me:
    second = subscore_words(mode.ordering, mine.subscore)
    return Me(f"{mine.rank:,}", points(mine.score, mode.decimals), top, second)


def _line(row: Row, mode: Mode, names: Mapping[str, str], me: str | None) -> Line:
    points_shown = points(row.score, mode.decimals)
    name = names.get(row.member, UNKNOWN)
    second = "" if row.subscore is None else f"{row.subscore:,}"
    value = f"{row.rank} {row.score} {second}".strip()
    return Line(row.member, f"{row.rank:,}", name, points_shown, row.member == me, value, second)
