"""How long a turn lasts when the clock stands still at night. Pure.

The hours of the night are those of the league's zone on each date, so a night with a change to or
from daylight-saving time is an hour shorter or longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from app.draft_leagues.settings import NightPause

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Hours:
    """When the clock of a draft runs: always, or outside the night of the zone."""

    night: NightPause | None
    time_zone: str

    def deadline(self, start: datetime, seconds: float) -> datetime:
        """Return when so many seconds of the clock are over that starts at `start`."""
        left = timedelta(seconds=seconds)
        moment = start
        for night_start, night_end in self._nights(start):
            if moment + left <= night_start:
                break
            left -= max(timedelta(0), night_start - moment)
            moment = max(moment, night_end)
        return moment + left

    def seconds_between(self, start: datetime, end: datetime) -> float:
        """Return how many seconds the clock runs from `start` to `end`; 0 if that is earlier."""
        if end <= start:
            return 0.0
        counted = end - start
        for night_start, night_end in self._nights(start):
            if night_start >= end:
                break
            counted -= min(end, night_end) - max(start, night_start)
        return counted.total_seconds()

    def is_night(self, moment: datetime) -> bool:
        """Whether the clock stands still."""
        first = next(self._nights(moment), None)
        return first is not None and first[0] <= moment

    def _nights(self, moment: datetime) -> Iterator[tuple[datetime, datetime]]:
        """Every night, in UTC, that ends after `moment`, in order."""
        if self.night is None or self.night.starts == self.night.ends:
            return
        zone = ZoneInfo(self.time_zone)
        starts, ends = time.fromisoformat(self.night.starts), time.fromisoformat(self.night.ends)
        # The day before yesterday covers nights over midnight in any zone.
        day = moment.astimezone(zone).date() - 2 * _DAY
        while True:
            last_day = day if starts < ends else day + _DAY
            night_end = _moment(last_day, ends, zone)
            if night_end > moment:
                yield _moment(day, starts, zone), night_end
            day += _DAY


def _moment(day: date, clock_time: time, zone: ZoneInfo) -> datetime:
    """The moment of a local time; a time that is skipped counts with the hour before the change."""
    return datetime.combine(day, clock_time, zone).astimezone(UTC)
