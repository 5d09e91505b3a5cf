"""Checks of what may be registered and entered. Pure functions that return sentences.

The limits of the wire schema are in app/record/events/, and events are numbered in numbering.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.record import events as ev
from app.record.rules.football.rulebook import Rulebook
from app.record.rules.football.suggestion import Standing
from app.record.rules.football.timeouts import timeout_fault, timeouts_of
from scorer_console.record.effective_events import EffectiveEvent

GAME_ID = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
PAGES = {"clubs", "keys", "manual", "practice", "sw.js"}  # pages of the console, not games
LAST_WEEK = 30
SEASON_TYPES = {"PRE": "Pre-season", "REG": "Regular season", "POST": "Post-season"}


def suggested_game_id(day: date, away: str, home: str) -> str:
    """Return the usual id of a game.

    >>> suggested_game_id(date(2019, 9, 8), "SF", "TB")
    '20190908-SF-TB'
    """
    return f"{day:%Y%m%d}-{away}-{home}"


def kickoff_utc(local: str, zone: str) -> tuple[datetime | None, dict[str, str]]:
    """Convert a local time to UTC.

    If it cannot be read, return a sentence by field (`kickoff`, `zone`) that says what to change.

    A time that a clock change skips is refused. A time that occurs twice means the first one.
    """
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None, {"zone": "Choose a time zone by place, e.g. America/New_York."}
    try:
        wall = datetime.fromisoformat(local)
    except ValueError:
        return None, {"kickoff": "Enter day and time, e.g. 2026-11-29T13:00."}
    if wall.tzinfo is not None:
        return None, {
            "kickoff": "Enter the local time without an offset. The time zone has its own field."
        }
    try:
        moment = wall.replace(tzinfo=place).astimezone(UTC)
    except OverflowError:
        return None, {"kickoff": "Enter a day of this century."}
    if moment.astimezone(place).replace(tzinfo=None) != wall:
        later = (wall + timedelta(hours=1)).strftime("%H:%M")
        return None, {"kickoff": f"The clocks skip {wall:%H:%M} on that day. Did you mean {later}?"}
    return moment, {}


def game_faults(
    game_id: str, home: str, away: str, week: int | None, clubs: set[str]
) -> dict[str, str]:
    """Return all reasons why this game cannot be registered, by field."""
    faults = {}
    if not GAME_ID.match(game_id):
        faults["game_id"] = (
            "Use 1 to 64 letters, digits, dots, hyphens or underscores. Start with a letter or "
            "digit."
        )
    if game_id in PAGES:
        faults["game_id"] = f"{game_id} is the name of a console page. Choose another one."
    if home not in clubs:
        faults["home"] = "Choose the home club from the list."
    if away not in clubs:
        faults["away"] = "Choose the visiting club from the list."
    elif home == away:
        faults["away"] = "A club cannot play itself. Choose another one."
    if week is None or not 1 <= week <= LAST_WEEK:
        faults["week"] = f"Enter the week as a number from 1 to {LAST_WEEK}."
    return faults


def club_fault(body: ev.Body, home: str, away: str) -> str | None:
    """Return a sentence if the body names a club that does not play in this game."""
    for field, club in ev.clubs_of(body).items():
        if club not in (home, away):
            return f"{field}: {club} does not play in this game; name {home} or {away}."
    return None


def timeout_faults(
    events: Sequence[Standing],
    bodies: Sequence[ev.Body],
    clubs: tuple[str, str],
    book: Rulebook,
    *,
    is_playoff: bool,
) -> str | None:
    """Name the first timeout among the new bodies of a club that has none left."""
    standing = list(events)
    for body in bodies:
        if isinstance(body, ev.Timeout):
            fault = timeout_fault(body, timeouts_of(standing, clubs, book, is_playoff=is_playoff))
            if fault:
                return f"team: {fault}"
        standing.append(EffectiveEvent(0, 0, body))
    return None
