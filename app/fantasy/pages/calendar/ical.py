"""A member's calendar in the iCalendar format (RFC 5545). Times are in UTC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from app.fantasy.pages.calendar.entries import Entry

TYPE = "text/calendar; charset=utf-8"
REFRESH = timedelta(hours=1)  # how often calendar programs should ask again


def calendar(
    entries: Sequence[Entry],
    revisions: Mapping[str, tuple[int, datetime]],
    origin: str,
    host: str,
) -> bytes:
    """Return the calendar.

    Args:
        entries: Its entries.
        revisions: Sequence number and last change of each entry, by its UID.
        origin: The address of this installation, for links.
        host: Its name, which makes UIDs unique in the world.
    """
    from icalendar import Calendar, Event  # a large import that most processes never need

    document = Calendar()
    document.add("PRODID", "-//Pressbox//Deadlines and games//EN")
    document.add("VERSION", "2.0")
    document.add("METHOD", "PUBLISH")
    document.add("X-WR-CALNAME", "Pressbox")
    document.add("REFRESH-INTERVAL", REFRESH, parameters={"VALUE": "DURATION"})
    document.add("X-PUBLISHED-TTL", REFRESH)
    for entry in entries:
        sequence, changed_at = revisions[entry.uid]
        event = Event()
        event.add("UID", f"{entry.uid}@{host}")
        event.add("SEQUENCE", sequence)
        event.add("DTSTAMP", changed_at.astimezone(UTC))
        event.add("LAST-MODIFIED", changed_at.astimezone(UTC))
        event.add("DTSTART", entry.starts.astimezone(UTC))
        if entry.ends is not None:
            event.add("DTEND", entry.ends.astimezone(UTC))
        event.add("SUMMARY", entry.title)
        event.add("DESCRIPTION", f"{entry.description}\n{origin}{entry.path}")
        event.add("URL", f"{origin}{entry.path}")
        event.add("TRANSP", "TRANSPARENT")
        document.add_component(event)
    return bytes(document.to_ical())
