"""The record as of any event number, from all revisions of all events (PRODUCT G4). Pure.

The cut, moments as people write them, and the game, its stat lines and score at a cut. League
tables at an instant are in app/fantasy/scoring/replay/moments.py. Nothing is stored.

The cut at N: every original with a number up to N, and every ruling whose correction has a number
up to N; a revision stands if no correction up to N takes it away. So the record as of N is what
ingesting the first N events gives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import msgspec

from app.core.errors import UserError
from app.record import events as ev
from app.record.queries import EventRow, GameRow
from app.record.rules.order import Numbered, in_order
from app.record.rules.state import game_state, status_of
from app.record.rules.team_defence import Clubs, all_credits, all_lines, has_begun

MOST_EVENTS = 1_000_000  # above it, a whole number is milliseconds since 1970
MOST_DIGITS = 14  # of milliseconds since 1970


class MomentError(UserError):
    """The moment cannot be read; the text says how to write one."""


@dataclass(frozen=True)
class Clock:
    """A moment of the game clock: `clock` seconds left in the period."""

    period: int
    clock: int


@dataclass(frozen=True)
class Instant:
    """A moment of the server's clock, in milliseconds since 1970."""

    ms: int

    @property
    def words(self) -> str:
        """The instant as people write it, in UTC."""
        return f"{datetime.fromtimestamp(self.ms / 1000, UTC):%a %d %b %Y, %H:%M:%S} UTC"


Moment = int | Clock | Instant

_CLOCK = re.compile(r"^(?:Q([1-4])|(\d?)OT)[-\s]+(\d{1,2}):([0-5]\d)$", re.IGNORECASE)


def moment(text: str) -> Moment:
    """An event number, a game clock, or an instant, as people write it.

    An instant is ISO 8601 with a time zone, or milliseconds since 1970. Raises MomentError.

    >>> moment("213"), moment("Q2-12:31"), moment("OT-3:05")
    (213, Clock(period=2, clock=751), Clock(period=5, clock=185))
    >>> moment("1789000000000"), moment("2026-09-10T00:26:40Z")
    (Instant(ms=1789000000000), Instant(ms=1789000000000))
    """
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS:
        number = int(text)
        return number if number <= MOST_EVENTS else Instant(number)
    if (match := _CLOCK.match(text)) is not None:
        quarter, overtime, minutes, seconds = match.groups()
        period = int(quarter) if quarter else 4 + int(overtime or 1)
        clock = int(minutes) * 60 + int(seconds)
        if clock <= ev.PERIOD_SECONDS:
            return Clock(period, clock)
    try:
        # a plus in an address arrives as a space
        when = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError:
        when = None
    if when is None or when.tzinfo is None:
        raise MomentError(
            f"at: {text!r} is not a valid moment. Enter an event number (213), a game clock "
            "(Q2-12:31, OT-3:05) or a time with its zone (2026-09-13T18:30:00Z)"
        )
    return Instant(int(when.timestamp() * 1000))


def number_at(events: Sequence[EventRow], at: Moment) -> int:
    """The last event at or before the moment; 0 before the first.

    An event number past the last one gives the last. By the game clock, an event is at the clock of
    the last snap or period change entered before it, as that stands now; a play that was moved
    elsewhere in the game does not say when it was entered.
    """
    originals = sorted((row for row in events if row.revision == 0), key=lambda row: row.number)
    if isinstance(at, int):
        return max((row.number for row in originals if row.number <= at), default=0)
    if isinstance(at, Instant):
        return max((row.number for row in originals if row.recorded_at <= at.ms), default=0)
    standing = {row.number: row.body for row in events if row.valid}
    last_number, position = 0, (1, 0)
    for row in originals:
        match standing.get(row.number, row.body):
            case ev.Snap(play_place=None) as snap:
                position = (snap.period, 900 - snap.clock)
            case ev.Period() as period:
                position = (period.period, 900 if period.phase == "end" else 0)
        if position <= (at.period, 900 - at.clock):
            last_number = row.number
    return last_number


def as_of(events: Sequence[EventRow], number: int) -> list[EventRow]:
    """The events as they stood when event `number` was the last one, in the given order."""
    return [
        replace(
            row,
            valid=row.taken_by is None or row.taken_by > number,
            taken_by=row.taken_by if row.taken_by is not None and row.taken_by <= number else None,
        )
        for row in events
        if max(row.number, row.revision) <= number
    ]


def valid_events(events: Sequence[EventRow]) -> list[Numbered]:
    """Number, play number and body of the valid events, in the order of the game."""
    return in_order((row.number, row.play_number, row.body) for row in events if row.valid)


def line_rows(events: Sequence[EventRow], clubs: Clubs) -> list[tuple[str, str, dict[str, int]]]:
    """Player id, club and stats of the valid events by player id, with both D/STs.

    `clubs`: of the game.
    """
    standing = valid_events(events)
    if status_of(standing) == "cancelled":
        return []
    lines = all_lines(all_credits(standing, clubs), clubs, has_begun=has_begun(standing))
    return [(player, line.team, line.stats) for player, line in sorted(lines.items())]


def game_as_of(game: GameRow, events: Sequence[EventRow]) -> GameRow:
    """The game with status, score and state of these events (already cut).

    Without events it has not begun.
    """
    if not events:
        return replace(game, status="scheduled", home_score=None, away_score=None, state={})
    state = game_state(valid_events(events), game.home.id, game.away.id)
    return replace(
        game,
        status=state.status,
        home_score=state.home_score,
        away_score=state.away_score,
        state=msgspec.json.decode(msgspec.json.encode(state)),  # as the database gives it back
    )
