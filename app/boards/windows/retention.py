"""How long closed windows stay readable at full speed before they are archived. Pure values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.boards.windows.rules import ALL_TIME, CUSTOM, DAILY, HOURS, MONTHLY, WEEKLY

# Days after a window's end in which it is read at full speed.
KEEP_DAYS: Mapping[str, int] = {
    **dict.fromkeys(HOURS, 2),
    DAILY: 7,
    WEEKLY: 90,
    MONTHLY: 400,
    CUSTOM: 90,
}
MOST_OF_HOURS = 1_000  # live windows of hours per mode


def keep_days(windows: Sequence[str], declared: Mapping[str, int]) -> dict[str, int]:
    """Return the days for each of these kinds that end; `declared` ones override KEEP_DAYS."""
    return {kind: int(declared.get(kind, KEEP_DAYS[kind])) for kind in windows if kind != ALL_TIME}


def live_of_hours(windows: Sequence[str], declared: Mapping[str, int]) -> int:
    """Return how many windows of hours there are before the first of them is archived.

    >>> live_of_hours(["hourly", "12-hourly", "daily"], {"12-hourly": 3})
    56
    """
    kinds = [kind for kind in windows if kind in HOURS]
    return sum(days * 24 // HOURS[kind] + 1 for kind, days in keep_days(kinds, declared).items())
