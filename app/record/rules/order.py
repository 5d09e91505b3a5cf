"""The order of a game's events, decided in one place. Pure.

Everything that folds a game in order (credits, score, drives, clock, next snap, pages, exports)
sorts by it. The order of knowledge is that of the event numbers (as-of pages, the ledger's steps,
reviews).

Events sort by their play's place, then the play's number, then their own place in the play, then
their number. The place of a play is `play_place` of its valid snap, else its number; the place of
an event is its `place`, else its number.

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
    def number(self) -> int:
        """The event number."""

    @property
    def revision(self) -> int:
        """0 for the original, else the number of the correction."""

    @property
    def play_number(self) -> int:
        """The play's number."""

    @property
    def valid(self) -> bool:
        """Whether this revision counts."""

    @property
    def body(self) -> ev.Body:
        """What happened."""


P = TypeVar("P", bound=Placed)


def play_places(events: Iterable[Numbered]) -> dict[int, float]:
    """The places of moved plays by play number. Of several snaps of a play the last one decides."""
    places: dict[int, float] = {}
    for _, play, body in events:
        if isinstance(body, ev.Snap):
            if body.play_place is not None:
                places[play] = body.play_place
            else:
                places.pop(play, None)
    return places


def play_key(play: int, places: Mapping[int, float]) -> tuple[float, int]:
    """The sort key of a play: its place, then its number."""
    return places.get(play, play), play


def event_key(event: Numbered, places: Mapping[int, float]) -> Key:
    """The sort key of an event. `places`: see play_places."""
    number, play, body = event
    return *play_key(play, places), number if body.place is None else body.place, number


def in_order(events: Iterable[Numbered]) -> list[Numbered]:
    """Valid events in the order of the game, whatever order they come in."""
    by_number = sorted(events, key=itemgetter(0))
    places = play_places(by_number)
    if not places and all(body.place is None for _, _, body in by_number):
        return sorted(
            by_number, key=itemgetter(1)
        )  # by play and number: all are at their own places
    return sorted(by_number, key=lambda event: event_key(event, places))


def rows_in_order(rows: Iterable[P]) -> list[P]:
    """All revisions in the order of the game.

    A deleted play keeps its last place, and the revisions of an event follow each other at the
    place of the last one.
    """
    all_rows = list(rows)
    latest: dict[int, P] = {}
    for row in sorted(all_rows, key=lambda row: (row.valid, row.revision)):
        latest[row.number] = row
    standing_last = sorted(latest.values(), key=lambda row: (row.valid, row.number))
    places = play_places((row.number, row.play_number, row.body) for row in standing_last)

    def key(row: P) -> tuple[float, int, float, int, int]:
        return *event_key(
            (row.number, row.play_number, latest[row.number].body), places
        ), row.revision

    return sorted(all_rows, key=key)
