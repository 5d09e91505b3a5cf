"""Which starting places a team can fill with the footballers that it has. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.draft_leagues.settings import StarterCount
from app.fantasy.market.formats import DRAFT_SLOTS


def accepts(slot: str) -> frozenset[str]:
    """Return the positions that a starting place takes."""
    return frozenset(DRAFT_SLOTS[slot].accepts)


def positions_of(starters: Iterable[StarterCount]) -> frozenset[str]:
    """Return every position that has a starting place. Others cannot be drafted."""
    return frozenset().union(*(accepts(starter.slot) for starter in starters))


class Lineup:
    """How many starting places footballers of these positions fill, each their own."""

    def __init__(self, starters: Sequence[StarterCount], positions: Iterable[str]) -> None:
        self._places = [accepts(starter.slot) for starter in starters for _ in range(starter.count)]
        self._positions: list[str] = []
        self._owner: dict[int, int] = {}  # place to index in _positions
        for position in positions:
            self._add(position)

    @property
    def lacking(self) -> int:
        """How many starting places nobody fills."""
        return len(self._places) - len(self._owner)

    def needs(self, position: str) -> bool:
        """Whether one more footballer of this position fills another starting place."""
        owner = dict(self._owner)
        self._positions.append(position)
        is_needed = self._seat(len(self._positions) - 1, set())
        self._positions.pop()
        self._owner = owner
        return is_needed

    def _add(self, position: str) -> None:
        self._positions.append(position)
        self._seat(len(self._positions) - 1, set())

    def _seat(self, index: int, tried: set[int]) -> bool:
        """Find a place for the footballer by moving others (bipartite matching)."""
        for place, positions in enumerate(self._places):
            if place in tried or self._positions[index] not in positions:
                continue
            tried.add(place)
            if place not in self._owner or self._seat(self._owner[place], tried):
                self._owner[place] = index
                return True
        return False


def seated(
    starters: Sequence[StarterCount], positions: Sequence[str]
) -> tuple[list[tuple[str, int | None]], list[int]]:
    """Seat footballers in the order in which they came, the narrowest free place first.

    Returns:
        Each starting place with the index of its footballer, or None; and the indexes on the bench.
    """
    places = [starter.slot for starter in starters for _ in range(starter.count)]
    taken: dict[int, int] = {}
    bench = []
    by_width = sorted(range(len(places)), key=lambda place: (len(accepts(places[place])), place))
    for index, position in enumerate(positions):
        free = (
            place for place in by_width if place not in taken and position in accepts(places[place])
        )
        place = next(free, None)
        if place is None:
            bench.append(index)
        else:
            taken[place] = index
    return [(slot, taken.get(place)) for place, slot in enumerate(places)], bench
