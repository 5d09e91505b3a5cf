"""When team sheets lock: turns a rule like `THU 18:00` into moments (PRODUCT G6). Pure.

The rule is in the league's own time zone, and right on days when the clocks change.
"""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

WEEKDAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")


@cache
def _names() -> frozenset[str]:
    """All time zones, cached because this reads the whole time zone database."""
    return frozenset(available_timezones())


class BadDeadlineError(ValueError):
    """A deadline or time zone that cannot be read; the text says what it should be."""


def zone(name: str) -> ZoneInfo:
    """The time zone of this name. Raises BadDeadlineError if there is none."""
    if name not in _names():
        raise BadDeadlineError(
            f"time zone: there is no {name!r}; use a name like Europe/Berlin or America/New_York"
        )
    return ZoneInfo(name)


def parsed(rule: str) -> tuple[int, time]:
    """Weekday (Monday is 0) and time of day of `THU 18:00`. Raises BadDeadlineError."""
    match = re.fullmatch(r"([A-Z]{3}) ([01]\d|2[0-3]):([0-5]\d)", rule.strip().upper())
    if match is None or match[1] not in WEEKDAYS:
        raise BadDeadlineError(f"deadline: {rule!r} should be a weekday and a time, like THU 18:00")
    return WEEKDAYS.index(match[1]), time(int(match[2]), int(match[3]))


def locks_at(rule: str | None, time_zone: str, deadline: datetime) -> datetime:
    """The last time by the rule at or before the gameweek's own deadline; without a rule, that.

    If the clocks skip the time in spring, it is as long after midnight as it reads (02:30 is 03:30
    by the new time). If they show it twice in autumn, it is the first.

    >>> from datetime import UTC
    >>> locks_at("THU 18:00", "America/New_York", datetime(2026, 9, 13, 17, tzinfo=UTC)).isoformat()
    '2026-09-10T18:00:00-04:00'
    """
    if rule is None:
        return deadline
    weekday, at = parsed(rule)
    clocks = zone(time_zone)
    day = deadline.astimezone(clocks).date()
    day -= timedelta(days=(day.weekday() - weekday) % 7)
    for earlier in (0, 7):
        moment = datetime.combine(day - timedelta(days=earlier), at, clocks)
        if moment <= deadline:
            return moment
    raise AssertionError("one of the last two such weekdays is before every deadline")
