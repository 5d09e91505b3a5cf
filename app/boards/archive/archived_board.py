"""A closed board in the blob store and its reads: pages are slices, nothing is ranked again.

A board is two Parquet objects. `order.parquet` has one row per player in the board's order, with
the rank and the number of players above (`better` counts keys by player, `distinct` counts keys;
`score` holds a key, see order.py). `players.parquet` maps players to positions, sorted by player,
so a player is found without reading the board. A read fetches only the row groups it needs; their
page checksums are verified.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID

from app.boards import ranking
from app.boards.order import Order, order_of
from app.boards.ranking import Place
from app.boards.reads import Row, Standing, View, check_page
from app.boards.rules import Ties
from app.core.blob_store import BlobStore

if TYPE_CHECKING:
    from pyarrow import parquet

ORDER, PLAYERS = "order.parquet", "players.parquet"
TIES, ORDERED = b"pressbox.ties", b"pressbox.order"  # metadata keys of ORDER


class _Object:
    """A Parquet object, opened at the first read and read by row group."""

    def __init__(self, store: BlobStore, name: str) -> None:
        self._store = store
        self._name = name

    @cached_property
    def file(self) -> parquet.ParquetFile:
        from pyarrow import parquet  # Large, and most processes never read an archived board.

        # Closed when nobody holds it any more: a page reads a few hundred kilobytes of it and is
        # done.
        return parquet.ParquetFile(self._store.open(self._name), page_checksum_verification=True)

    @cached_property
    def starts(self) -> list[int]:
        """The position at which each row group begins, and the end."""
        starts = [0]
        for number in range(self.file.num_row_groups):
            starts.append(starts[-1] + self.file.metadata.row_group(number).num_rows)
        return starts

    def bounds(self, column: int) -> list[tuple[Any, Any]]:
        """Smallest and largest value of the column in each row group."""
        statistics = (
            self.file.metadata.row_group(n).column(column).statistics
            for n in range(self.file.num_row_groups)
        )
        return [(column_statistics.min, column_statistics.max) for column_statistics in statistics]

    def group(self, number: int, columns: Sequence[str] | None = None) -> Any:
        return self.file.read_row_group(number, columns=columns)

    def rows(self, first: int, last: int) -> list[dict[str, Any]]:
        """Rows from position `first` up to but without `last`."""
        last = min(last, self.starts[-1])
        rows: list[dict[str, Any]] = []
        while (position := first + len(rows)) < last:
            number = bisect_right(self.starts, position) - 1
            skip = position - self.starts[number]
            rows += self.group(number).slice(skip, last - position).to_pylist()
        return rows


class ArchivedBoard:
    """BoardReads (reads.py) of a closed board.

    Raises BlobNotFoundError, BlobStoreError, OSError for a broken object.
    """

    def __init__(self, store: BlobStore, order: str, players: str) -> None:
        self._order = _Object(store, order)
        self._players = _Object(store, players)

    @cached_property
    def ties(self) -> Ties:
        """Return the tie rule the board had when it was closed."""
        return Ties(self._order.file.schema_arrow.metadata[TIES].decode())

    @cached_property
    def order(self) -> Order:
        """Return the order of records the board had when it was closed.

        Older objects do not name it; on their boards the highest score is best.
        """
        ordered = self._order.file.schema_arrow.metadata.get(ORDERED)
        return Order() if ordered is None else order_of(**json.loads(ordered))

    def count(self) -> int:
        """Return the number of players on the board."""
        return self._order.starts[-1]

    def standings(self, members: Collection[str]) -> dict[str, Standing]:
        """Return the standing of each of these members that is on the board."""
        standings = {}
        for member in members:
            position = self._position(member)
            if position is not None:
                (row,) = self._order.rows(position, position + 1)
                place = Place(position, row["better"], row["distinct"])
                standings[member] = ranking.standing(
                    self.ties, self.order, (member, row["score"]), place, self.count()
                )
        return standings

    def events(self, members: Collection[str]) -> dict[str, UUID]:
        """Return the event of each member's record; members without a score are left out."""
        events = {}
        for member in members:
            position = self._position(member)
            if position is not None:
                (row,) = self._order.rows(position, position + 1)
                events[member] = UUID(bytes=row["event_id"])
        return events

    def page(self, offset: int, limit: int) -> list[Row]:
        """Return rows of the board from `offset` on."""
        check_page(offset, limit)
        return self._rows(offset, offset + limit)

    def around(self, member: str, k: int) -> list[Row]:
        """Return the member's row with up to `k` rows on either side."""
        position = self._position(member)
        return [] if position is None else self._rows(max(0, position - k), position + k + 1)

    def band(self, low: int, high: int, offset: int, limit: int) -> list[Row]:
        """Return rows with scores from `low` to `high`, best first."""
        worst, best = self.order.keys_of(low, high)
        start, end = self._above(best), self._above(worst - 1)
        count = min(limit, end - start - offset)
        return self.page(start + offset, count) if count > 0 else []

    def rank_of_score(self, score: int, subscore: int | None = None) -> int:
        """Return the rank that a newcomer with this score would get."""
        key = self.order.key(score, subscore)
        ahead = self._above(key - 1 if self.ties is Ties.EARLIEST else key)
        if self.ties is not Ties.DENSE or ahead == 0:
            return ahead + 1
        (last,) = self._order.rows(ahead - 1, ahead)
        return int(last["distinct"]) + 2

    def ranks_of_scores(self, scores: Sequence[tuple[int, int | None]]) -> list[int]:
        """Return the ranks that newcomers with these scores would get."""
        return [self.rank_of_score(*score) for score in scores]

    def view(self, offset: int, limit: int, member: str | None = None, k: int = 4) -> View:
        """Return a page together with a member's own place and neighbours."""
        me = self.standings([member]).get(member) if member else None
        around = self.around(member, k) if member and me else []
        return View(self.count(), self.page(offset, limit), me, around)

    def _rows(self, first: int, last: int) -> list[Row]:
        score_of, subscore_of = self.order.score_of, self.order.subscore_of
        return [
            Row(
                row["rank"],
                str(UUID(bytes=row["player_id"])),
                score_of(key),
                subscore=subscore_of(key),
            )
            for row in self._order.rows(first, last)
            for key in (row["score"],)
        ]

    def _above(self, key: int) -> int:
        """Return how many players have a better key: the position of the first one who has not."""
        bounds = self._order.bounds(self._order.file.schema_arrow.get_field_index("score"))
        # the first group that reaches down to this key
        number = bisect_left(bounds, -key, key=lambda bound: -bound[0])
        if number == len(bounds):
            return self.count()
        keys = self._order.group(number, ["score"]).column("score").to_pylist()
        return self._order.starts[number] + bisect_left(
            keys, -key, key=lambda stored_key: -stored_key
        )

    def _position(self, member: str) -> int | None:
        try:
            player = UUID(member).bytes
        except ValueError:
            return None
        bounds = self._players.bounds(0)
        number = bisect_left(bounds, player, key=lambda bound: bytes(bound[1]))
        if number == len(bounds):
            return None
        group = self._players.group(number)
        ids = group.column("player_id").to_pylist()
        here = bisect_left(ids, player)
        return (
            int(group.column("position")[here].as_py())
            if here < len(ids) and ids[here] == player
            else None
        )
