"""The footballers of a draft in the order of the ranking. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Draftable:
    """A footballer who can be drafted.

    Attributes:
        points: Projected for the season, in thousandths.
        value: Projected points above replacement, in thousandths; comparable between positions.
        rank: By value, from 1.
        tier: Of their position, from 1: those between whom it hardly matters.
        bye: The week without a game; None if it is not known.
        is_rookie: Whether a rookie draft lists them as a rookie.
    """

    id: str
    name: str
    position: str
    club: str
    points: int
    value: int
    rank: int
    tier: int = 1
    status: str = "available"
    bye: int | None = None
    is_rookie: bool = False


class Pool:
    """Everybody who can be drafted, in order of rank; in a rookie draft rookies come first.

    `others`: on the market too, but not in this draft.
    """

    def __init__(self, footballers: Sequence[Draftable], others: Sequence[Draftable] = ()) -> None:
        self.footballers = footballers
        self.others = others

    @cached_property
    def by_id(self) -> Mapping[str, Draftable]:
        """The footballers by their ids."""
        return {footballer.id: footballer for footballer in self.footballers}

    @cached_property
    def market(self) -> Mapping[str, Draftable]:
        """Everybody on the market by their ids, also those who are not in this draft."""
        return {footballer.id: footballer for footballer in (*self.others, *self.footballers)}

    def position_of(self, footballer_id: str) -> str | None:
        """The footballer's position; None if they are not in the draft."""
        footballer = self.by_id.get(footballer_id)
        return footballer.position if footballer else None
