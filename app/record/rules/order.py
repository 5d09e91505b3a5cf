"""The order of a game's events: the one place that decides it. Pure.

Everything that folds a game in order (credits, score, drives, clock, next snap, pages, exports)
sorts by it. Not here: the order of knowledge, which is that of the event numbers (as-of pages, the
ledger's steps, reviews).

Events sort by their play's place, then the play's number, then their own place in the play, then
their number. The place of a play is `play_place` of its standing snap, else its number; that of an
event is its `place`, else its number.

Worked example: plays 1, 2, 3 and a forgotten one, entered last as play 4 with `play_place` 1.5: 1,
4, 2, 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Protocol, TypeVar

from app.record import events as ev

Numbered = tuple[int, int, ev.Body]  # event number, play number, body
Key = tuple[float, int, float, int]


class Placed(Protocol):
    """A revision of an event: see record.queries.EventRow."""

    @property
    def number(self) -> int: ...
    @property
    def revision(self) -> int: ...
    @property
    def play_number(self) -> int: ...
    @property
    def valid(self) -> bool: ...
    @property
    def body(self) -> ev.Body: ...


P = TypeVar("P", bound=Placed)


def play_places(events: Iterable[Numbered]) -> dict[int, float]:
    """Places by play number, of the plays that were put somewhere.

    Of several snaps of a play the last one says.
    """
    found: dict[int, float] = {}
    for _, play, body in events:
        if isinstance(body, ev.Snap):
            if body.play_place is not None:
                found[play] = body.play_place
            else:
                found.pop(play, None)
    return found


def play_key(play: int, places: Mapping[int, float]) -> tuple[float, int]:
    """What a play sorts by: its place, of two at one place the one with the lower number first."""
    return places.get(play, play), play


def event_key(event: Numbered, places: Mapping[int, float]) -> Key:
    """What an event sorts by. `places`: see play_places."""
    number, play, body = event
    return *play_key(play, places), number if body.place is None else body.place, number


def in_order(events: Iterable[Numbered]) -> list[Numbered]:
    """Standing events in the order of the game, however they come."""
    found = sorted(events, key=itemgetter(0))
    places = play_places(found)
    if not places and all(body.place is None for _, _, body in found):
        return sorted(found, key=itemgetter(1))  # by play and number: all are at their own places
    return sorted(found, key=lambda event: event_key(event, places))


def rows_in_order(rows: Iterable[P]) -> list[P]:
    """All revisions in the order of the game: a play that was struck out keeps its last place, and
    the revisions of an event follow each other, each at the place of the last one.
    """
    given = list(rows)
    latest: dict[int, P] = {}
    for row in sorted(given, key=lambda row: (row.valid, row.revision)):
        latest[row.number] = row
    standing_last = sorted(latest.values(), key=lambda row: (row.valid, row.number))
    places = play_places((row.number, row.play_number, row.body) for row in standing_last)

    def key(row: P) -> tuple[float, int, float, int, int]:
        return *event_key(
            (row.number, row.play_number, latest[row.number].body), places
        ), row.revision

    return sorted(given, key=key)
