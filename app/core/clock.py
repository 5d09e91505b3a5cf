"""The only source of the current time.

Services take `now` as a value; views and jobs get it here.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def now() -> datetime:
    """Return the server's time in UTC, timezone-aware."""
    return datetime.now(UTC)


def next_minute(moment: datetime) -> datetime:
    """Return when the minute of this moment ends."""
    return moment.replace(second=0, microsecond=0) + timedelta(minutes=1)


def to_ms(moment: datetime) -> int:
    """Return milliseconds since 1970 (UTC)."""
    return int(moment.timestamp() * 1000)


def to_us(moment: datetime) -> int:
    """Return microseconds since 1970 (UTC), exact."""
    return (moment - EPOCH) // timedelta(microseconds=1)


def from_us(microseconds: int) -> datetime:
    """Return the moment, in UTC, of `to_us`."""
    return EPOCH + timedelta(microseconds=microseconds)
