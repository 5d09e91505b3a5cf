"""From places to ranks: pure, shared by every store that answers for a board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.boards.order import Order
from app.boards.reads import Row, Standing
from app.boards.rules import Ties


class Place(NamedTuple):
    """What precedes an entry on the whole board: entries, better keys and better distinct keys."""

    before: int
    better: int
    distinct: int


def rank(ties: Ties, place: Place) -> int:
    """Return the rank, from 1, of an entry with this place.

    >>> place = Place(before=5, better=4, distinct=2)
    >>> [rank(ties, place) for ties in (Ties.SHARED, Ties.DENSE, Ties.EARLIEST)]
    [5, 3, 6]
    """
    match ties:
        case Ties.SHARED:
            return place.better + 1
        case Ties.DENSE:
            return place.distinct + 1
        case Ties.EARLIEST:
            return place.before + 1


def standing(
    ties: Ties, order: Order, entry: tuple[str, int], place: Place, count: int
) -> Standing:
    """Return the standing of an entry (member, key) among `count`."""
    member, key = entry
    ahead = place.before if ties is Ties.EARLIEST else place.better
    return Standing(
        rank(ties, place),
        member,
        order.score_of(key),
        subscore=order.subscore_of(key),
        percentile=100 * (count - ahead) / count,
        position=place.before,
    )


def rows(ties: Ties, order: Order, entries: Sequence[tuple[str, int]], first: Place) -> list[Row]:
    """Rank consecutive (member, key) entries of a board, given the first one's place."""
    ranked: list[Row] = []
    current = rank(ties, first)
    for number, (member, key) in enumerate(entries):
        if number and ties is Ties.EARLIEST:
            current += 1
        elif number and key != entries[number - 1][1]:
            current = current + 1 if ties is Ties.DENSE else first.before + number + 1
        ranked.append(Row(current, member, order.score_of(key), subscore=order.subscore_of(key)))
    return ranked
