"""The bidding for one footballer: secret maximums decide at the second price. Pure.

Each bidder names the most that they would pay. The highest maximum leads, at one unit more than
the second highest, but never above its own. Of equal maximums the earlier one leads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LEAST_BID = 1


@dataclass(frozen=True)
class Offer:
    """The most that a franchise would pay."""

    franchise: int
    maximum: int


@dataclass(frozen=True)
class Standing:
    """Who leads at which price."""

    leader: int
    price: int


def standing(offers: Sequence[Offer]) -> Standing:
    """Return who leads. The first offer is the nomination's; later ones of a franchise replace it.

    A raised maximum keeps the time of the raise, so an equal one that came between is earlier.

    >>> standing([Offer(1, 1), Offer(2, 30), Offer(3, 20)])
    Standing(leader=2, price=21)
    >>> standing([Offer(1, 20), Offer(2, 20)])
    Standing(leader=1, price=20)
    """
    latest: dict[int, tuple[int, int]] = {}  # maximum, and minus the place in the order
    for place, offer in enumerate(offers):
        latest[offer.franchise] = (offer.maximum, -place)
    ranked = sorted(latest, key=lambda franchise: latest[franchise], reverse=True)
    leader = ranked[0]
    if len(ranked) == 1:
        return Standing(leader, LEAST_BID)
    second = latest[ranked[1]][0]
    return Standing(leader, max(LEAST_BID, min(latest[leader][0], second + 1)))


def most(budget: int, open_places: int) -> int:
    """Return the highest bid that leaves one unit for each further open place."""
    return budget - max(0, open_places - 1) * LEAST_BID
