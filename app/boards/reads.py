"""The reads that every store and layout of a board offers: Redis, PostgreSQL and the archive."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

MAX_ROWS = 1000  # per page, band or list


def check_page(offset: int, limit: int) -> None:
    """Raise ValueError for an impossible page; views refuse it before."""
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
    """A ranked row.

    `rank` counts from 1 by the board's tie rule; `score` is in the mode's smallest unit; `subscore`
    is None if the mode has none.
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
    """One page of a board with a member's place on it; rows are in the board's order.

    Attributes:
        count: The number of players on the board.
        rows: The rows of the page.
        me: The member's standing; None without a score.
        around: The rows around the member; empty without a score.
        details: What the store has cached to show beside the members, if anything.
        as_of: The moment of the answer, if it was not computed for this read.
    """

    count: int
    rows: Sequence[Row]
    me: Standing | None = None
    around: Sequence[Row] = field(default_factory=list)
    details: Mapping[str, str] = field(default_factory=dict)
    as_of: datetime | None = None


class BoardReads(Protocol):
    """The reads that every layout and store answers alike.

    The order is: better score by the mode's order, then better subscore, then the earlier
    microsecond under EARLIEST, then the member by bytes. Records are equal if score and subscore
    are.
    """

    def count(self) -> int:
        """Return how many members stand on the board."""

    def standings(self, members: Collection[str]) -> dict[str, Standing]:
        """Return standings by member; members without a score are left out."""

    def page(self, offset: int, limit: int) -> list[Row]:
        """Return rows from position `offset` (from 0) on, at most `limit` (1 to MAX_ROWS)."""

    def around(self, member: str, k: int) -> list[Row]:
        """Return the member with up to `k` rows on either side; empty if they have no score."""

    def band(self, low: int, high: int, offset: int, limit: int) -> list[Row]:
        """Return rows with low <= score <= high in order, `offset` counted within the band."""

    def rank_of_score(self, score: int, subscore: int | None = None) -> int:
        """Return a newcomer's rank with this score; under EARLIEST the last of their equals.

        Raises OutOfRangeError for a subscore that the mode does not have.
        """

    def ranks_of_scores(self, scores: Sequence[tuple[int, int | None]]) -> list[int]:
        """Return `rank_of_score` of each (score, subscore), looked up together."""

    def view(self, offset: int, limit: int, member: str | None = None, k: int = 4) -> View:
        """Return page, count, the member's standing and their neighbours together."""
