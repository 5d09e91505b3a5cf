"""The power ranking of a league: which team has been the strongest lately. Pure.

A team's strength is the weighted mean of its gameweek points. The latest gameweek counts 1, each
earlier one FADE of the one after it, so that half of the weight lies on the last three. The method
stands on the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FADE = 0.8
_SHOWN = 10  # thousandths: a strength has two decimals
METHOD = "Average score with recent weeks weighted more (each earlier week counts 80%)."


@dataclass(frozen=True)
class Strength:
    """A team in the power ranking.

    Attributes:
        strength: In thousandths of a point per gameweek, to two decimals of a point.
        rank: Dense, the strongest first.
        rank_before: After the gameweek before; None for a team without one.
    """

    member_id: int
    strength: int
    rank: int
    rank_before: int | None


def power_ranking(weeks: Sequence[Mapping[int, int]]) -> list[Strength]:
    """Rank the teams of the last gameweek, the strongest first; ties by member.

    `weeks`: points by member, in thousandths, one mapping per gameweek in order.

    >>> [(row.member_id, row.strength) for row in power_ranking([{1: 9000, 2: 0}, {1: 0, 2: 9000}])]
    [(2, 5000), (1, 4000)]
    """
    if not weeks:
        return []
    now = {member: _strength(weeks, member) for member in weeks[-1]}
    before = {member: _strength(weeks[:-1], member) for member in _members(weeks[:-1])}
    ranks, ranks_before = _dense_ranks(now), _dense_ranks(before)
    return sorted(
        (
            Strength(member, strength, ranks[member], ranks_before.get(member))
            for member, strength in now.items()
        ),
        key=lambda row: (row.rank, row.member_id),
    )


def _members(weeks: Sequence[Mapping[int, int]]) -> set[int]:
    return {member for week in weeks for member in week}


def _strength(weeks: Sequence[Mapping[int, int]], member: int) -> int:
    points, weights, weight = 0.0, 0.0, 1.0
    for week in reversed(weeks):
        if member in week:
            points += weight * week[member]
            weights += weight
        weight *= FADE
    return round(points / weights / _SHOWN) * _SHOWN


def _dense_ranks(values: Mapping[int, int]) -> dict[int, int]:
    ordered = sorted(set(values.values()), reverse=True)
    return {member: ordered.index(value) + 1 for member, value in values.items()}
