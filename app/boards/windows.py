"""The windows of a mode: days, ISO weeks and months of its own calendar, and all time.

Pure values. A window of the local calendar begins with the first instant after which its first day never turns back:
at the jump itself where midnight is skipped, at the second midnight where the clock goes back into the old day. So
windows of a kind follow each other without gap or overlap, and a day that a country skips is an empty window.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from app.core.errors import UserError

DAILY, WEEKLY, MONTHLY, ALL_TIME = "daily", "weekly", "monthly", "all-time"
KINDS = (DAILY, WEEKLY, MONTHLY, ALL_TIME)
FIRST_YEAR, LAST_YEAR = 1970, 2199
_SECOND = timedelta(seconds=1)


class BadWindow(UserError):
    """There is no such window."""


@dataclass(frozen=True)
class Window:
    """`starts` belongs to the window, `ends` to the next (UTC); both None: all time.

    `window_id`: `daily:2026-04-05`, `weekly:2026-W14`, `monthly:2026-04`, `all-time`.
    """

    kind: str
    window_id: str
    starts: datetime | None = None
    ends: datetime | None = None


def window_of(kind: str, at: datetime, zone: str) -> Window:
    """The window of this kind in which the instant lies. Raises BadWindow outside 1970 to 2199."""
    if kind == ALL_TIME:
        return Window(ALL_TIME, ALL_TIME)
    if not FIRST_YEAR <= at.astimezone(UTC).year <= LAST_YEAR:
        raise BadWindow(f"{at.isoformat()} is not between {FIRST_YEAR} and {LAST_YEAR}: send the time of the score.")
    tz = ZoneInfo(zone)
    day = at.astimezone(tz).date()
    if at < _start(day, tz):  # the old day is to come back
        day -= timedelta(days=1)
    return _window(kind, day, tz)


def windows_of(kinds: Iterable[str], at: datetime, zone: str) -> list[Window]:
    """The windows of these kinds in which the instant lies, same order."""
    return [window_of(kind, at, zone) for kind in kinds]


def parse_window(window_id: str, zone: str) -> Window:
    """The window of that name. Raises BadWindow."""
    kind, _, name = window_id.partition(":")
    try:
        if window_id == ALL_TIME:
            return Window(ALL_TIME, ALL_TIME)
        if kind == DAILY and re.fullmatch(r"\d{4}-\d\d-\d\d", name):
            day = date.fromisoformat(name)
        elif kind == WEEKLY and re.fullmatch(r"\d{4}-W\d\d", name):
            day = date.fromisocalendar(int(name[:4]), int(name[6:]), 1)
        elif kind == MONTHLY and re.fullmatch(r"\d{4}-\d\d", name):
            day = date(int(name[:4]), int(name[5:]), 1)
        else:
            raise ValueError
        if not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise ValueError
    except ValueError:
        raise BadWindow(
            f"There is no window {window_id!r}: name one like daily:2026-04-05, weekly:2026-W14, monthly:2026-04 "
            f"({FIRST_YEAR} to {LAST_YEAR}) or all-time."
        ) from None
    return _window(kind, day, ZoneInfo(zone))


def before(window: Window, zone: str) -> Window | None:
    """The window of the same kind that ends where this one starts; None for all time and before 1970."""
    if window.starts is None:
        return None
    day = _first_day(window)
    previous = _first_of(window.kind, day - timedelta(days=1))
    return None if previous.year < FIRST_YEAR else _window(window.kind, previous, ZoneInfo(zone))


def after(window: Window, zone: str) -> Window | None:
    """The window of the same kind that starts where this one ends; None for all time and after 2199."""
    if window.starts is None:
        return None
    later = _next(window.kind, _first_day(window))
    return None if later.year > LAST_YEAR else _window(window.kind, later, ZoneInfo(zone))


def title(window: Window) -> str:
    """The window as people call it: `Sunday, 5 April 2026`, `30 March to 5 April 2026`, `April 2026`, `All time`."""
    if window.starts is None:
        return "All time"
    first = _first_day(window)
    match window.kind:
        case "daily":
            return f"{first:%A}, {first.day} {first:%B %Y}"
        case "weekly":
            last = first + timedelta(days=6)
            month = "" if first.month == last.month else f" {first:%B}"
            year = "" if first.year == last.year else f" {first.year}"
            return f"{first.day}{month}{year} to {last.day} {last:%B %Y}"
    return f"{first:%B %Y}"


def _window(kind: str, day: date, tz: ZoneInfo) -> Window:
    first = _first_of(kind, day)
    match kind:
        case "daily":
            name = first.isoformat()
        case "weekly":
            year, week, _ = first.isocalendar()
            name = f"{year:04}-W{week:02}"
        case "monthly":
            name = f"{first.year:04}-{first.month:02}"
        case _:
            raise BadWindow(f"There is no kind of window {kind!r}: use one of {', '.join(KINDS)}.")
    return Window(kind, f"{kind}:{name}", _start(first, tz), _start(_next(kind, first), tz))


def _first_day(window: Window) -> date:
    name = window.window_id.partition(":")[2]
    if window.kind == WEEKLY:
        return date.fromisocalendar(int(name[:4]), int(name[6:]), 1)
    return date.fromisoformat(name if window.kind == DAILY else f"{name}-01")


def _first_of(kind: str, day: date) -> date:
    match kind:
        case "weekly":
            return day - timedelta(days=day.weekday())
        case "monthly":
            return day.replace(day=1)
    return day


def _next(kind: str, first: date) -> date:
    match kind:
        case "weekly":
            return first + timedelta(days=7)
        case "monthly":
            return (first + timedelta(days=31)).replace(day=1)
    return first + timedelta(days=1)


def _start(day: date, tz: ZoneInfo) -> datetime:
    """The instant at which the day begins."""
    midnight = datetime.combine(day, time.min, tz)
    first, second = (midnight.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    if second >= first:  # the usual midnight, or one that comes twice: the second if the old day came back between
        old_day_came_back = (second - _SECOND).astimezone(tz).date() < day
        return second if old_day_came_back else first
    # Midnight is skipped: in a gap zoneinfo answers from both sides of the jump, which lies between.
    offset = first.astimezone(tz).utcoffset()
    while first - second > _SECOND:
        middle = second + (first - second) // 2 // _SECOND * _SECOND
        if middle.astimezone(tz).utcoffset() == offset:
            first = middle
        else:
            second = middle
    return first
