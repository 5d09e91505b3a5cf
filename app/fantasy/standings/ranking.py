"""How a league's table is ordered. Pure: values in, values out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

MODES = ("total", "head_to_head")
TIES = ("shared", "fewest_transfers", "latest_gameweek")


@dataclass(frozen=True)
class Rank:
    """`shared`: at least one other has the same rank."""

    rank: int
    shared: bool


def dense_ranks(points: Mapping[int, int]) -> dict[int, Rank]:
    """Dense ranks by points, the most first: equal points share a rank and the next rank follows without a gap.

    >>> [rank.rank for rank in dense_ranks({1: 9000, 2: 12500, 3: 9000, 4: -2000}).values()]
    [2, 1, 2, 3]
    """
    count = Counter(points.values())
    places = {score: place for place, score in enumerate(sorted(count, reverse=True), start=1)}
    return {member: Rank(places[score], count[score] > 1) for member, score in points.items()}
