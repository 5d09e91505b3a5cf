"""The windows of a mode: hours, days, ISO weeks, months, declared ones and all time.

Pure values. A window of the local calendar begins with the first instant after which its first day,
or hour, never turns back: if that time is skipped, at the jump itself; if it comes twice, at the
second one. So windows of a kind follow each other without gap or overlap; a skipped day or hour is
an empty window, and one that comes twice is one long window. In UTC every hour has sixty minutes.
Declared windows are moments (custom.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from app.boards.windows.custom import Calendar, Interval
from app.core.errors import UserError

HOURLY, DAILY, WEEKLY, MONTHLY, CUSTOM, ALL_TIME = (
    "hourly",
    "daily",
    "weekly",
    "monthly",
    "custom",
    "all-time",
)
# Hours per window by kind; they begin at midnight and divide the day evenly.
HOURS = {HOURLY: 1, **{f"{hours}-hourly": hours for hours in (2, 3, 4, 6, 8, 12)}}
KINDS = (*HOURS, DAILY, WEEKLY, MONTHLY, CUSTOM, ALL_TIME)  # shorter ones first
PREVIOUS = "previous"  # ends an alias: `daily:previous` is yesterday
FIRST_YEAR, LAST_YEAR = 1970, 2199
_SECOND = timedelta(seconds=1)

Zone = str | Calendar  # a time zone alone has no declared windows


class InvalidWindowError(UserError):
    """There is no such window."""


@dataclass(frozen=True)
class Window:
    """A window from `starts` until before `ends` (UTC); both are None for all time.

    `window_id` is, for example, `6-hourly:2026-04-05T12`, `daily:2026-04-05`, `weekly:2026-W14`,
    `monthly:2026-04`, `custom:finals` or `all-time`.
    """

    kind: str
    window_id: str
    starts: datetime | None = None
    ends: datetime | None = None


def window_of(kind: str, at: datetime, zone: Zone) -> Window:
    """Return the window of this kind in which the instant lies.

    Raises:
        InvalidWindowError: The instant is outside 1970 to 2199, or no declared window runs then.
    """
    window = _at(kind, at, _calendar(zone))
    if window is None:
        raise InvalidWindowError(
            "No custom window is open at that time. Use a name like custom:finals, or another kind."
        )
    return window


def windows_of(kinds: Iterable[str], at: datetime, zone: Zone) -> list[Window]:
    """Return the windows of these kinds in which the instant lies, in the same order.

    Declared windows are left out if none runs then.
    """
    calendar = _calendar(zone)
    return [window for kind in kinds if (window := _at(kind, at, calendar)) is not None]


def _at(kind: str, at: datetime, calendar: Calendar) -> Window | None:
    if kind == ALL_TIME:
        return Window(ALL_TIME, ALL_TIME)
    if kind == CUSTOM:
        running = calendar.at(at)
        return _declared(running) if running else None
    if not FIRST_YEAR <= at.astimezone(UTC).year <= LAST_YEAR:
        raise InvalidWindowError(
            f"{at.isoformat()} is not between {FIRST_YEAR} and {LAST_YEAR}. Send the time "
            "of the score."
        )
    tz = ZoneInfo(calendar.zone)
    local = at.astimezone(tz).replace(tzinfo=None, fold=0)
    first = _first_of(kind, local) if kind in HOURS else datetime.combine(local.date(), time.min)
    while at < _start(first, tz):  # the earlier time will come back
        first -= timedelta(hours=HOURS.get(kind, 24))
    return _window(kind, first, tz)


def parse_window(window_id: str, zone: Zone) -> Window:
    """Return the window of that name.

    Raises:
        InvalidWindowError: The mode has no such window.
    """
    calendar = _calendar(zone)
    kind, _, name = window_id.partition(":")
    if kind == CUSTOM:
        declared = calendar.named(name)
        if declared is None:
            there = ", ".join(interval.name for interval in calendar.declared[-5:]) or "none"
            raise InvalidWindowError(f"There is no window {window_id!r}. The mode has {there}.")
        return _declared(declared)
    try:
        if window_id == ALL_TIME:
            return Window(ALL_TIME, ALL_TIME)
        first = _named(kind, name)
        if first is None or not FIRST_YEAR <= first.year <= LAST_YEAR:
            raise ValueError
    except ValueError:
        raise InvalidWindowError(
            f"There is no window {window_id!r}. Use a name like daily:2026-04-05, "
            f"weekly:2026-W14, monthly:2026-04, 6-hourly:2026-04-05T12 ({FIRST_YEAR} to "
            f"{LAST_YEAR}) or all-time."
        ) from None
    return _window(kind, first, ZoneInfo(calendar.zone))


def _named(kind: str, name: str) -> datetime | None:
    """Return the window's first moment in local time.

    Raises:
        ValueError: There is no such day.
    """
    if kind in HOURS and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d", name):
        first = datetime.fromisoformat(name)
        return first if first.hour % HOURS[kind] == 0 else None
    if kind == DAILY and re.fullmatch(r"\d{4}-\d\d-\d\d", name):
        return datetime.fromisoformat(name)
    if kind == WEEKLY and re.fullmatch(r"\d{4}-W\d\d", name):
        return datetime.combine(date.fromisocalendar(int(name[:4]), int(name[6:]), 1), time.min)
    if kind == MONTHLY and re.fullmatch(r"\d{4}-\d\d", name):
        return datetime(int(name[:4]), int(name[5:]), 1)  # noqa: DTZ001  (by the clock on the wall)
    return None


def named_window(name: str, at: datetime, zone: Zone) -> Window:
    """Resolve a window id, or an alias at a moment, to a window.

    `daily` is today, `daily:previous` yesterday; the other kinds that end work alike.

    Raises:
        InvalidWindowError: There is no such window.
    """
    kind, _, which = name.partition(":")
    if kind == ALL_TIME or kind not in KINDS or which not in ("", PREVIOUS):
        return parse_window(name, zone)
    if kind == CUSTOM:
        if not which:
            return window_of(kind, at, zone)
        ended = _calendar(zone).ended_before(at)
        if ended is None:
            raise InvalidWindowError("No custom window has ended yet.")
        return _declared(ended)
    present = window_of(kind, at, zone)
    window = before(present, zone) if which else present
    if window is None:
        raise InvalidWindowError(
            f"There is no window before {present.window_id}. Use one from {FIRST_YEAR} on."
        )
    return window


def alias_of(window: Window, at: datetime, zone: Zone) -> str | None:
    """Return the alias that means this window at that moment; None if none does."""
    if window.starts is None or window.ends is None or at < window.starts:
        return None
    if at < window.ends:
        return window.kind
    following = after(window, zone)
    if following is None:
        return f"{window.kind}:{PREVIOUS}" if window.kind == CUSTOM else None
    return f"{window.kind}:{PREVIOUS}" if following.ends and at < following.ends else None


def before(window: Window, zone: Zone) -> Window | None:
    """Return the window of the same kind that ends where this one starts.

    For declared windows it is the one before. None for all time, before 1970, and if there is none.
    """
    if window.starts is None:
        return None
    calendar = _calendar(zone)
    if window.kind == CUSTOM:
        declared = calendar.beside(_name(window), -1)
        return _declared(declared) if declared else None
    previous = _first_of(window.kind, _first(window) - timedelta(hours=HOURS.get(window.kind, 24)))
    return (
        None
        if previous.year < FIRST_YEAR
        else _window(window.kind, previous, ZoneInfo(calendar.zone))
    )


def after(window: Window, zone: Zone) -> Window | None:
    """Return the window of the same kind that starts where this one ends.

    For declared windows it is the one after. None for all time, after 2199, and if there is none.
    """
    if window.starts is None:
        return None
    calendar = _calendar(zone)
    if window.kind == CUSTOM:
        declared = calendar.beside(_name(window), 1)
        return _declared(declared) if declared else None
    later = _next(window.kind, _first(window))
    return None if later.year > LAST_YEAR else _window(window.kind, later, ZoneInfo(calendar.zone))


def title(window: Window) -> str:
    """Name the window for people.

    For example `Sunday, 5 April 2026`, `30 March to 5 April 2026`, `April 2026`, `All time`,
    `Sunday, 5 April 2026, 12:00 to 18:00` or `Spring finals`.
    """
    if window.starts is None:
        return "All time"
    if window.kind == CUSTOM:
        words = _name(window).replace("-", " ")
        return f"{words[:1].upper()}{words[1:]}"
    first = _first(window)
    day = f"{first:%A}, {first.day} {first:%B %Y}"
    if window.kind in HOURS:
        return f"{day}, {first:%H:%M} to {_next(window.kind, first):%H:%M}"
    match window.kind:
        case "daily":
            return day
        case "weekly":
            last = first + timedelta(days=6)
            month = "" if first.month == last.month else f" {first:%B}"
            year = "" if first.year == last.year else f" {first.year}"
            return f"{first.day}{month}{year} to {last.day} {last:%B %Y}"
    return f"{first:%B %Y}"


def _calendar(zone: Zone) -> Calendar:
    return zone if isinstance(zone, Calendar) else Calendar(zone)


def _declared(interval: Interval) -> Window:
    return Window(CUSTOM, f"{CUSTOM}:{interval.name}", interval.starts, interval.ends)


def _name(window: Window) -> str:
    return window.window_id.partition(":")[2]


def _window(kind: str, moment: datetime, tz: ZoneInfo) -> Window:
    """Return the window in which this local time lies."""
    first = _first_of(kind, moment)
    if kind in HOURS:
        name = f"{first:%Y-%m-%dT%H}"
    else:
        match kind:
            case "daily":
                name = f"{first:%Y-%m-%d}"
            case "weekly":
                year, week, _ = first.isocalendar()
                name = f"{year:04}-W{week:02}"
            case "monthly":
                name = f"{first.year:04}-{first.month:02}"
            case _:
                raise InvalidWindowError(
                    f"There is no window kind {kind!r}. Use one of {', '.join(KINDS)}."
                )
    return Window(kind, f"{kind}:{name}", _start(first, tz), _start(_next(kind, first), tz))


def _first(window: Window) -> datetime:
    first = _named(window.kind, _name(window))
    assert first is not None  # only this module creates windows
    return first


def _first_of(kind: str, moment: datetime) -> datetime:
    midnight = datetime.combine(moment.date(), time.min)
    if kind in HOURS:
        return midnight.replace(hour=moment.hour // HOURS[kind] * HOURS[kind])
    match kind:
        case "weekly":
            return midnight - timedelta(days=midnight.weekday())
        case "monthly":
            return midnight.replace(day=1)
    return midnight


def _next(kind: str, first: datetime) -> datetime:
    match kind:
        case "weekly":
            return first + timedelta(days=7)
        case "monthly":
            return (first + timedelta(days=31)).replace(day=1)
    return first + timedelta(hours=HOURS.get(kind, 24))


def _start(moment: datetime, tz: ZoneInfo) -> datetime:
    """Return the instant from which on local time never shows an earlier time than this one."""
    first, second = (moment.replace(tzinfo=tz, fold=fold).astimezone(UTC) for fold in (0, 1))
    # A usual time, or one that comes twice: the second if the clock went back before it.
    if second >= first:
        went_back_before = (second - _SECOND).astimezone(tz).replace(tzinfo=None, fold=0) < moment
        return second if went_back_before else first
    # The time is skipped: in a gap zoneinfo answers from both sides of the jump, which lies
    # between.
    offset = first.astimezone(tz).utcoffset()
    while first - second > _SECOND:
        middle = second + (first - second) // 2 // _SECOND * _SECOND
        if middle.astimezone(tz).utcoffset() == offset:
            first = middle
        else:
            second = middle
    return first
