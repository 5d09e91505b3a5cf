"""The range layout: partitions by score, plus hash shards that record what each member holds.

A page lies in one partition or two, dense ranks add up because no score lies in two partitions, and
only members that cross a split point touch two partitions. An attempt is counted in the member's
home in one atomic step; then the member is placed. A crash between the two leaves the event's dedup
key, so that the next writer puts the member, and `put` removes them from every other partition.
Redis holds the split points with a version; balance.py moves them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any

from app.boards.layouts import redis_functions
from app.boards.layouts.hashed import CHUNK, COUNTED, FILLED, Answer, HashBoard
from app.boards.layouts.parts import Entry, Part, chunks
from app.boards.rules import EXACT_BITS, Held, Ties
from app.core.redis.clients import boards_reader, boards_redis

SAMPLE = 20_000  # members of a stream that decide how to split it
NOWHERE = 1 << EXACT_BITS  # beyond every stored value: partitions after it are empty


@dataclass(frozen=True)
class SplitPoints:
    """The split points of a range board.

    `at` has the smallest number (Budget.number) of each partition but the first, ascending;
    equal scores stay together. `moving`: the points are being moved and not all partitions
    agree yet.
    """

    at: tuple[int, ...]
    version: int = 0
    moving: bool = False

    def partition(self, number: int) -> int:
        """Return the index of the partition that holds this number."""
        return bisect_right(self.at, number)


def split_points_of_counts(counts: Iterable[tuple[int, int]], partitions: int) -> tuple[int, ...]:
    """Choose split points that divide the counts (score, members), best first, into equal parts."""
    sizes = list(counts)
    total, before = sum(members for _, members in sizes), 0
    points: list[int] = []
    for score, members in sizes:
        while len(points) < partitions - 1 and before >= total * (len(points) + 1) / partitions:
            points.append(-score)
        before += members
    return tuple(points + [NOWHERE] * (partitions - 1 - len(points)))


class RangeBoard(HashBoard):
    """A board whose partitions follow each other by score."""

    @cached_property
    def homes(self) -> Sequence[Part]:
        """The parts that record what members hold."""
        return [Part(self.spec.tag(f"h{number}")) for number in range(self.spec.shards)]

    @cached_property
    def _partitions(self) -> Sequence[Part]:
        return [Part(self.spec.tag(f"r{number}")) for number in range(self.spec.shards)]

    @property
    def parts(self) -> Sequence[Part]:
        """The partitions, best first."""
        return self._partitions

    @property
    def in_one_place(self) -> bool:
        """Whether one part holds the whole board."""
        return False  # cached details lie elsewhere

    @property
    def in_a_row(self) -> bool:
        """Whether the parts follow each other in the board's order."""
        return True

    @property
    def _distinct_adds_up(self) -> bool:
        return True

    @property
    def _dense(self) -> int:
        return 0

    @property
    def _all_parts(self) -> Sequence[Part]:
        return [*self.homes, *self.parts]

    def wholeness_calls(self) -> list[redis_functions.Call]:
        """Build the calls that ask whether each part is whole."""
        dense = int(self.spec.ties is Ties.DENSE)
        partitions = [
            (redis_functions.WHOLE, part.written, (dense, 0, int(self.spec.budget.tied)))
            for part in self.parts
        ]
        return [*super().wholeness_calls(), *partitions]

    @property
    def _keys(self) -> Sequence[str]:
        return [*(key for part in self._all_parts for key in part.all), self._meta]

    @property
    def _meta(self) -> str:
        return self.spec.tag("meta")

    def split_points(self) -> SplitPoints:
        """Return the present split points.

        All members of a board that was never split are in the first partition.
        """
        # The field keeps the name that existing boards use.
        at, version, moving = boards_redis().hmget(self._meta, ["cuts", "version", "moving"])
        points = tuple(map(int, at.split())) if at else (NOWHERE,) * (self.spec.shards - 1)
        return SplitPoints(points, int(version or 0), moving is not None)

    def set_split_points(self, at: Sequence[int], *, moving: bool = False) -> None:
        """Write where the partitions begin.

        The caller keeps others from writing to the board, and sets `moving` for as long as members
        may lie in other partitions than these.
        """
        pipeline = boards_redis().pipeline(transaction=True)
        pipeline.hset(self._meta, "cuts", " ".join(map(str, at)))
        pipeline.hincrby(self._meta, "version", 1)
        if moving:
            pipeline.hset(self._meta, "moving", "1")
        else:
            pipeline.hdel(self._meta, "moving")
        pipeline.execute()

    def publish(self, _version: int, _scores: Mapping[str, int]) -> bool:
        """Refuse: a range board cannot be published whole."""
        raise ValueError(
            f"board {self.spec.name}: only a hash board with one shard is published whole"
        )

    def settle(self, answers: Sequence[tuple[str, Answer]]) -> None:
        """Place the members whose attempts were counted in their homes."""
        left: dict[str, set[int]] = {}
        now: dict[str, int | None] = {}
        joined = self.spec.budget.joined
        for member, (outcome, number, tie, number_before, tie_before) in answers:
            if outcome == COUNTED:
                now[member] = joined(number, tie)
                left.setdefault(member, set()).update(
                    [] if number_before is False else [joined(number_before, tie_before)]
                )
        if now:
            points = self.split_points()
            everywhere = set(range(self.spec.shards))
            leaves = {
                member: everywhere
                if points.moving
                else {self._partition(points, before) for before in values}
                for member, values in left.items()
            }
            self._place(now, points, leaves)

    def _put(self, values: Mapping[str, Held | None]) -> None:
        super()._put(values)
        everywhere = set(range(self.spec.shards))
        self._place(
            self._encoded(values.items()), self.split_points(), dict.fromkeys(values, everywhere)
        )

    def load(self, entries: Iterable[tuple[str, Held]]) -> int:
        """Fill an empty board from a stream; return how many members there were.

        A board that is not split yet is split by the stream's beginning. A stream in the order of
        scores is better split beforehand (`split_points_of_counts`).
        """
        stream = iter(entries)
        first = list(islice(stream, SAMPLE))
        points = self.split_points()
        if not points.version and first:
            values = sorted(-holds.score for _, holds in first)
            shards = self.spec.shards
            self.set_split_points(
                [values[len(values) * number // shards] for number in range(1, shards)]
            )
            points = self.split_points()
        loaded = 0
        for chunk in chunks(chain(first, stream), FILLED):
            self._fill(chunk)
            self._place(self._encoded(chunk), points, {})
            loaded += len(chunk)
        self.count_members()
        return loaded

    def _encoded(self, entries: Iterable[tuple[str, Held | None]]) -> dict[str, int | None]:
        return {
            member: None if holds is None else self.spec.budget.encode(holds)
            for member, holds in entries
        }

    def _place(
        self,
        now: Mapping[str, int | None],
        points: SplitPoints,
        leaves: Mapping[str, Collection[int]],
    ) -> None:
        """Put each member into its partition and remove it from those that it leaves."""
        values: list[list[Any]] = [[] for _ in self.parts]
        for member, stored in now.items():
            target = None
            if stored is not None:
                target = self._partition(points, stored)
                values[target] += (member, self.spec.budget.text(stored), "")
            for number in leaves.get(member, ()):
                if number != target:
                    values[number] += (member, "", "")
        self.replace(values, together=bool(leaves))

    def _partition(self, points: SplitPoints, stored: int) -> int:
        return points.partition(self.spec.budget.number(stored))

    def replace(self, values: Sequence[Sequence[Any]], *, together: bool) -> None:
        """Replace values by partition: member, stored value as text or '' to remove, '', and so on.

        With `together` (see redis_functions.call) no reader on one server finds a member in two
        partitions or in none.
        """
        dense = int(self.spec.ties is Ties.DENSE)
        calls = [
            (redis_functions.PUT, part.written, (dense, *chunk))
            for part, partition_values in zip(self.parts, values, strict=True)
            for chunk in chunks(partition_values, 3 * CHUNK)
        ]
        if calls:
            redis_functions.call(calls, together=together)

    def written_values(self, members: Collection[str]) -> dict[str, int]:
        """Return the stored values on which a member's home and partition agree."""
        at_home = super().written_values(members)
        points = self.split_points()
        placed = self._placed(
            {
                member: (self.parts[self._partition(points, stored)], stored)
                for member, stored in at_home.items()
            }
        )
        if points.moving:
            elsewhere = self._stored(at_home.keys() - placed)
            placed |= {member for member, stored in elsewhere.items() if stored == at_home[member]}
        return {member: stored for member, stored in at_home.items() if member in placed}

    def _stored(self, members: Collection[str]) -> dict[str, int]:
        names = list(members)
        if not names:
            return {}
        budget = self.spec.budget
        if budget.tied:
            answers = self._all(lambda pipe, part: pipe.hmget(part.ties, names))
        else:
            answers = self._all(lambda pipe, part: pipe.zmscore(part.ranking, names))
        return {
            member: min(
                budget.read(value) if budget.tied else int(value)
                for value in values
                if value is not None
            )
            for member, values in zip(names, zip(*answers, strict=True), strict=True)
            if any(value is not None for value in values)
        }

    def _entries(self, offset: int, limit: int) -> list[Entry]:
        """Read a page; the partitions follow each other, so their sizes say where it lies."""
        pipeline = boards_reader().pipeline(transaction=False)
        before = 0
        for part, size in zip(
            self.parts, self._all(lambda pipe, part: pipe.zcard(part.ranking)), strict=True
        ):
            first, last = max(0, offset - before), offset + limit - 1 - before
            if first < size and last >= 0:
                pipeline.zrange(part.ranking, first, last, withscores=True)
            before += size
        return [self._entry(number, name) for rows in pipeline.execute() for name, number in rows]
