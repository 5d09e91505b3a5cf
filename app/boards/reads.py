"""The reads that every store and layout of a board offers: Redis, PostgreSQL and the archive."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

MAX_ROWS = 1000  # of one page, band or list


def check_page(offset: int, limit: int) -> None:
    """Raises ValueError for what is no page: views refuse it before."""
    if offset < 0 or not 1 <= limit <= MAX_ROWS:
        raise ValueError(
            f"offset {offset} must not be negative and limit {limit} be 1 to {MAX_ROWS}"
        )


@dataclass(frozen=True)
class RowRange:
    """Rows from position `offset` on, at most `limit`."""

    offset: int
    limit: int


@dataclass(frozen=True)
class Row:
    """`rank` from 1 by the board's tie policy; `score` in the mode's smallest unit.

    `subscore` None: the mode has none.
    """

    rank: int
    member: str
    score: int
    subscore: int | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Standing(Row):
    """A member's place.

    `percentile`: share of ranked members whose rank is worse or equal, in (0, 100]: the best has
    100. `position`: from 0 in the board's whole order, where ties have an order too.
    """

    percentile: float
    position: int


@dataclass(frozen=True)
class View:
    """One page of a board with a member's place on it.

    `me` is None for a member without a score; `around` too is empty then. Rows in the board's
    order. `details`: what the store remembers to show of the members in it, where it remembers
    anything. `as_of`: since when it stood so, where it was not worked out for this reading.
    """

    count: int
    rows: Sequence[Row]
    me: Standing | None = None
    around: Sequence[Row] = field(default_factory=list)
    details: Mapping[str, str] = field(default_factory=dict)
    as_of: datetime | None = None


class BoardReads(Protocol):
    """The reads that every layout and store answers alike.

    Order: better score as the mode's order says, of equal ones the better subscore, then the
    earlier microsecond under EARLIEST, then the member by bytes. Equal means equal in both.
    """

    def count(self) -> int:
        """How many members stand on the board."""

    def standings(self, members: Collection[str]) -> dict[str, Standing]:
        """By member; one without a score is left out."""

    def page(self, offset: int, limit: int) -> list[Row]:
        """Rows from position `offset` (from 0), at most `limit` (1 to MAX_ROWS)."""

    def around(self, member: str, k: int) -> list[Row]:
        """The member, up to `k` before and `k` after; empty when they have no score."""

    def band(self, low: int, high: int, offset: int, limit: int) -> list[Row]:
        """Rows with low <= score <= high, in the board's order, from the band's own `offset`."""

    def rank_of_score(self, score: int, subscore: int | None = None) -> int:
        """Return a newcomer's rank with this score; under EARLIEST the last of their equals.

        Raises OutOfRangeError for a subscore that the mode does not have.
        """

    def ranks_of_scores(self, scores: Sequence[tuple[int, int | None]]) -> list[int]:
        """As rank_of_score, of each (score, subscore), asked together."""

    def view(self, offset: int, limit: int, member: str | None = None, k: int = 4) -> View:
        """Page, count, the member's standing and their neighbours.

        Of one moment where the board lies in one part.
        """
