"""When claims are processed, and until when a footballer is on waivers. Pure.

Times of day are those of the league's zone, so that 9:00 stays 9:00 when the clocks change. A time
that a night skips counts from the hour before, as zoneinfo reads it; one that a night has twice is
the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from app.draft_leagues.settings import WaiverSettings

_DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")


def runs_after(settings: WaiverSettings, zone: str, moment: datetime) -> Iterator[datetime]:
    """The times of all runs after a moment, without end.

    >>> runs = runs_after(WaiverSettings(), "America/New_York", datetime(2026, 10, 30, tzinfo=UTC))
    >>> [next(runs).isoformat() for _ in range(2)]  # the clocks change on 1 November
    ['2026-11-04T14:00:00+00:00', '2026-11-11T14:00:00+00:00']
    """
    local = ZoneInfo(zone)
    at = time.fromisoformat(settings.time)
    days = {_DAYS.index(day) for day in settings.days}
    day = moment.astimezone(local).date() - timedelta(days=1)
    while days:
        if day.weekday() in days:
            run = datetime.combine(day, at, local).astimezone(UTC)
            if run > moment:
                yield run
        day += timedelta(days=1)


def first_run_from(settings: WaiverSettings, zone: str, moment: datetime) -> datetime:
    """The first run at this moment or after it."""
    return next(runs_after(settings, zone, moment - timedelta(microseconds=1)))


def runs_between(
    settings: WaiverSettings, zone: str, after: datetime, until: datetime
) -> list[datetime]:
    """The runs after one moment and up to another."""
    due = []
    for run in runs_after(settings, zone, after):
        if run > until:
            break
        due.append(run)
    return due
