"""Windows that an integrator declares for a mode: names with two moments, in order, with gaps.

Pure values. A mode's calendar is its time zone and these windows. rules.py defines what a window
is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

MOST = 100  # per mode
SHORTEST, LONGEST = timedelta(minutes=1), timedelta(days=366)
# a window begins this much after it is declared, so no score of it has been judged yet
LEAD = timedelta(minutes=1)
FIRST, LAST = datetime(1970, 1, 2, tzinfo=UTC), datetime(2199, 12, 30, tzinfo=UTC)
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
RESERVED = "previous"  # the prefix of an alias


@dataclass(frozen=True)
class Interval:
    """A declared window; `starts` belongs to it, `ends` does not (UTC)."""

    name: str
    starts: datetime
    ends: datetime


@dataclass(frozen=True)
class Calendar:
    """A mode's time zone and its declared windows by start; they do not overlap."""

    zone: str
    declared: tuple[Interval, ...] = ()

    def named(self, name: str) -> Interval | None:
        """Return the declared window of that name."""
        return next((interval for interval in self.declared if interval.name == name), None)

    def at(self, moment: datetime) -> Interval | None:
        """Return the window that runs at this moment, if any."""
        place = bisect_right(self.declared, moment, key=lambda interval: interval.starts)
        return (
            self.declared[place - 1] if place and moment < self.declared[place - 1].ends else None
        )

    def ended_before(self, moment: datetime) -> Interval | None:
        """Return the last window that has ended by this moment, if any."""
        place = bisect_right(self.declared, moment, key=lambda interval: interval.ends)
        return self.declared[place - 1] if place else None

    def beside(self, name: str, step: int) -> Interval | None:
        """Return the window before (-1) or after (1) the one of that name, if any."""
        for place, interval in enumerate(self.declared):
            if interval.name == name and 0 <= place + step < len(self.declared):
                return self.declared[place + step]
        return None


def stored(intervals: Sequence[Interval]) -> list[dict[str, str]]:
    """Return the windows as a mode's row stores them: by start, in UTC."""
    in_order = sorted(
        intervals, key=lambda interval: (interval.starts, interval.ends, interval.name)
    )
    return [
        {
            "name": interval.name,
            "starts_at": _text(interval.starts),
            "ends_at": _text(interval.ends),
        }
        for interval in in_order
    ]


def loaded(rows: Sequence[Mapping[str, str]]) -> tuple[Interval, ...]:
    """Return the windows from what `stored` returned."""
    return tuple(
        Interval(
            row["name"],
            datetime.fromisoformat(row["starts_at"]),
            datetime.fromisoformat(row["ends_at"]),
        )
        for row in rows
    )


def faults(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return everything that is wrong with the windows, one sentence each."""
    intervals = loaded(rows)
    faults = []
    if len(intervals) > MOST:
        faults.append(
            f"{len(intervals)} windows are more than the limit of {MOST} per mode. Create "
            "another mode for the rest."
        )
    names = [interval.name for interval in intervals]
    for name in sorted({name for name in names if names.count(name) > 1}):
        faults.append(f"{name!r} appears twice. Give each window a different name.")
    for interval in intervals:
        if not NAME.fullmatch(interval.name) or interval.name == RESERVED:
            faults.append(
                f"{interval.name!r} is not a window name. Use 1 to 40 lowercase letters, "
                "digits and dashes."
            )
        if not SHORTEST <= interval.ends - interval.starts <= LONGEST:
            faults.append(f"{interval.name!r} must last from a minute to 366 days.")
        if interval.starts < FIRST or interval.ends > LAST:
            faults.append(f"{interval.name!r} must be between 1970 and 2199.")
    for interval, following in pairwise(intervals):
        if following.starts < interval.ends:
            text = (
                f"{following.name!r} begins before {interval.name!r} ends. Windows must not "
                "overlap."
            )
            faults.append(text)
    return faults


def settled(
    before: Sequence[Mapping[str, str]], after: Sequence[Mapping[str, str]], now: datetime
) -> list[str]:
    """Name the windows that changed although they have begun, so scores may count there."""
    soon = _text(now + LEAD)
    was, will = ({row["name"]: row for row in rows} for rows in (before, after))
    changed = [name for name in was.keys() | will.keys() if was.get(name) != will.get(name)]
    begun = [
        name
        for name in changed
        if any(name in rows and rows[name]["starts_at"] < soon for rows in (was, will))
    ]
    return sorted(begun)


def _text(moment: datetime) -> str:
    """Format a moment at a fixed length, so that texts sort like moments."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
