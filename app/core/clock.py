"""The one door through which time comes in. Services take `now` as a value; views and jobs get it here."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The server's time, aware, UTC."""
    return datetime.now(UTC)


def to_ms(moment: datetime) -> int:
    """Milliseconds since 1970 (UTC)."""
    return int(moment.timestamp() * 1000)
