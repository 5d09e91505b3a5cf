"""The time of day in a time zone, for texts that are read outside of a page."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo


def time_of_day(moment: datetime, time_zone: str) -> str:
    """The time with the zone's short name; with seconds only if there are some.

    >>> moment = datetime.fromisoformat("2026-09-10T22:05:30+00:00")
    >>> time_of_day(moment, "America/New_York"), time_of_day(moment, "America/Sao_Paulo")
    ('6:05:30 PM EDT', '7:05:30 PM UTC-03')
    >>> time_of_day(moment.replace(second=0), "Europe/Berlin")
    '12:05 AM CEST'
    """
    local = moment.astimezone(ZoneInfo(time_zone))
    zone = local.tzname() or ""
    if zone.startswith(("+", "-")):
        zone = f"UTC{zone}"
    seconds = f":{local:%S}" if local.second else ""
    return f"{local:%I:%M}".lstrip("0") + f"{seconds} {local:%p} {zone}"
