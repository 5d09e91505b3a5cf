"""The footballers of a draft, ranked by their value to a team. Pure.

Points of different positions cannot be compared: the tenth quarterback scores more than the best
tight end, and nobody needs him. So footballers are ordered by their points above those of the last
starter of their position in the whole draft, which is known as value over replacement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from app.draft_leagues.drafts.places import group_of, starters_of_group
from app.draft_leagues.drafts.plan import DraftPlan


@dataclass(frozen=True)
class Ranked:
    """A footballer who can be drafted.

    Attributes:
        points: Projected for the season, in thousandths.
        tier: Of their position, from 1: those between whom it hardly matters.
        value: Points above the last starter of the position, in thousandths.
        rank: By value, from 1.
        bye: The week without a game; None if it is not known.
        price: On the salary-cap market; orders those without points.
    """

    id: str
    name: str
    position: str
    club: str
    points: int
    tier: int = 1
    value: int = 0
    rank: int = 0
    status: str = "available"
    bye: int | None = None
    price: int = 0


class Pool:
    """Everybody who can be drafted, in order of rank."""

    def __init__(self, footballers: Sequence[Ranked]) -> None:
        self.footballers = footballers

    @cached_property
    def by_id(self) -> Mapping[str, Ranked]:
        """The footballers by their ids."""
        return {footballer.id: footballer for footballer in self.footballers}

    def position_of(self, footballer_id: str) -> str | None:
        """The footballer's position; None if they are not in the draft."""
        footballer = self.by_id.get(footballer_id)
        return footballer.position if footballer else None


def pool_of(footballers: Iterable[Ranked], plan: DraftPlan) -> Pool:
    """Return the pool of this draft, with value and rank.

    Positions without a starting place are left out. Ties go to points, price, then the id.
    """
    of_group: dict[tuple[str, ...], list[Ranked]] = defaultdict(list)
    for footballer in footballers:
        if group := group_of(plan.starters, footballer.position):
            of_group[group].append(footballer)
    valued = []
    for group, members in of_group.items():
        members.sort(key=_best_first)
        starters = starters_of_group(plan.starters, group) * len(plan.order) // 100
        last_starter = members[min(max(starters, 1), len(members)) - 1]
        valued += [
            replace(footballer, value=footballer.points - last_starter.points)
            for footballer in members
        ]
    valued.sort(key=lambda each: (-each.value, *_best_first(each)))
    return Pool([replace(each, rank=rank) for rank, each in enumerate(valued, start=1)])


def with_tiers(footballers: Iterable[Ranked], per_position: int = 8) -> list[Ranked]:
    """Return the footballers with tiers: each position is cut at its widest gaps of points.

    Gaps are looked for among the best 60 of a position.
    """
    of_position: dict[str, list[Ranked]] = defaultdict(list)
    for footballer in footballers:
        of_position[footballer.position].append(footballer)
    tiered = []
    for members in of_position.values():
        members.sort(key=_best_first)
        gaps = [
            (before.points - after.points, index)
            for index, (before, after) in enumerate(pairwise(members[:60]), start=1)
            if before.points > after.points
        ]
        cuts = {index for _, index in sorted(gaps, reverse=True)[: per_position - 1]}
        tier = 1
        for index, footballer in enumerate(members):
            tier += index in cuts
            tiered.append(replace(footballer, tier=tier))
    return tiered


def _best_first(footballer: Ranked) -> tuple[int, int, str]:
    return -footballer.points, -footballer.price, footballer.id
