"""Exact reads of a board that lies in several sorted sets, by adding up over its parts.

Works for any split of the members, so hash shards and score ranges share it. With one part it is
the plain sorted set, whose whole page costs one round trip. hashed.py and ranged.py write, and
decide which part holds whom.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from app.boards import ranking
from app.boards.layouts import redis_functions
from app.boards.ranking import Place
from app.boards.reads import MAX_ROWS, Row, Standing, View, check_page
from app.boards.rules import TIE_WIDTH, Ties
from app.boards.spec import BoardSpec
from app.core.redis.clients import boards_reader, is_cluster

COUNT_AND_PAGE = 2  # fields of an answer without a member's own place
MERGED = 2 * MAX_ROWS  # the most entries per part that are merged for a page


@dataclass(frozen=True)
class Part:
    """The keys of one part; all share its hash tag.

    `directory` is where its distinct scores are kept together with those of other parts on the same
    server; it is empty if the part keeps them itself.
    """

    ranking: str
    directory: str = ""

    @property
    def distinct(self) -> str:
        """Key of the distinct stored values."""
        return f"{self.directory or self.ranking}:distinct"

    @property
    def details(self) -> str:
        """Key of what to show of members."""
        return f"{self.ranking}:details"

    @property
    def version(self) -> str:
        """Key of the published version."""
        return f"{self.ranking}:version"

    @property
    def seen(self) -> str:
        """Key of the events that were applied."""
        return f"{self.ranking}:seen"

    @property
    def size(self) -> str:
        """Key of the number of members written: what the ranking must hold if nothing is lost."""
        return f"{self.ranking}:size"

    @property
    def ties(self) -> str:
        """Key of what each member holds, by member; used if times decide ties.

        The ranking then orders members by time and name.
        """
        return f"{self.ranking}:ties"

    @property
    def changed(self) -> str:
        """Key of the counter of changes that readers can see."""
        return f"{self.ranking}:changed"

    @property
    def placed(self) -> tuple[str, str, str, str, str]:
        """Keys of a member's place."""
        return (
            self.ranking,
            self.distinct,
            f"{self.directory or self.ranking}:counts",
            self.size,
            self.ties,
        )

    @property
    def written(self) -> tuple[str, ...]:
        """Keys of the functions that write."""
        return *self.placed, self.seen, f"{self.ranking}:rests"

    @property
    def published(self) -> tuple[str, ...]:
        """Keys of the functions that write a whole table."""
        return *self.placed, self.version

    @property
    def all(self) -> tuple[str, ...]:
        """All keys of the part."""
        return (*self.written, self.details, self.version, self.changed)


class Entry(NamedTuple):
    """An entry that compares in the board's order; members compare by bytes, as in the store."""

    stored: int
    member: bytes


class PartedReads(ABC):
    """BoardReads (reads.py) over `parts`."""

    def __init__(self, spec: BoardSpec) -> None:
        self.spec = spec

    @property
    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """All parts, in any order."""

    @property
    @abstractmethod
    def homes(self) -> Sequence[Part]:
        """The parts that remember what to show of members."""

    @property
    def in_a_row(self) -> bool:
        """Whether the parts follow each other in the board's order."""
        return False

    @property
    def in_one_place(self) -> bool:
        """Whether one part holds it all, so that one call answers a whole page."""
        return len(self.parts) == 1

    @property
    def _is_together(self) -> bool:
        """Whether one function reaches all parts."""
        return self.in_one_place or not is_cluster(boards_reader())

    @abstractmethod
    def _stored(self, members: Collection[str]) -> dict[str, int]:
        """The stored value of each member that stands on the board."""

    def count(self) -> int:
        """Return the number of players on the board."""
        return sum(self._all(lambda pipe, part: pipe.zcard(part.ranking)))

    def standings(self, members: Collection[str]) -> dict[str, Standing]:
        """Return the standing of each of these members that is on the board."""
        if self._is_together and len(members) == 1:
            (member,) = members
            me = self._whole_view(0, 1, member, 0).me
            return {} if me is None else {member: me}
        stored = self._stored(members)
        entries = [Entry(value, member.encode()) for member, value in stored.items()]
        places, count = self._places(entries), self.count()
        return {
            member: self._standing(entry, place, count)
            for member, entry, place in zip(stored, entries, places, strict=True)
        }

    def page(self, offset: int, limit: int) -> list[Row]:
        """Return rows of the board from `offset` on."""
        check_page(offset, limit)
        if self._is_together:
            return list(self._whole_view(offset, limit).rows)
        return self._rows(self._entries(offset, limit), offset)

    def around(self, member: str, k: int) -> list[Row]:
        """Return the member's row with up to `k` rows on either side."""
        if self._is_together:
            return list(self._whole_view(0, 1, member, k).around)
        stored = self._stored([member])
        if member not in stored:
            return []
        return self._rows(*self._neighbours(Entry(stored[member], member.encode()), k))

    def band(self, low: int, high: int, offset: int, limit: int) -> list[Row]:
        """Return rows with scores from `low` to `high`, best first."""
        check_page(offset, limit)
        if low > high:
            return []
        worst, best = (-key for key in self.spec.order.keys_of(low, high))
        counts = self._all(
            lambda pipe, part: pipe.zcount(part.ranking, "-inf", f"({best}"),
            lambda pipe, part: pipe.zcount(part.ranking, best, worst),
        )
        start, within = sum(counts[::2]), sum(counts[1::2])
        count = min(limit, within - offset)
        return self.page(start + offset, count) if count > 0 else []

    def rank_of_score(self, score: int, subscore: int | None = None) -> int:
        """Return the rank that a newcomer with this score would get."""
        return self.ranks_of_scores([(score, subscore)])[0]

    def ranks_of_scores(self, scores: Sequence[tuple[int, int | None]]) -> list[int]:
        """Return the ranks that newcomers with these scores would get."""
        numbers = [-self.spec.order.key(score, subscore) for score, subscore in scores]
        if not numbers:
            return []
        if self.spec.ties is Ties.DENSE:
            return [ahead + 1 for ahead in self._distinct_ahead(numbers)]
        ends = "(" if self.spec.ties is Ties.SHARED else ""
        return [
            ahead + 1
            for ahead in self._counted([f"{ends}{number}" for number in numbers], "ranking")
        ]

    def _counted(self, limits: Sequence[str], key: str) -> list[int]:
        """Return how many entries of all parts' sorted sets of that name reach each limit."""
        counts: list[int] = self._all(
            *(partial(_count_to, key=key, limit=limit) for limit in limits)
        )
        return [sum(counts[number :: len(limits)]) for number in range(len(limits))]

    def view(self, offset: int, limit: int, member: str | None = None, k: int = 4) -> View:
        """Return a page together with a member's own place and neighbours."""
        check_page(offset, limit)
        if self._is_together:
            return self._whole_view(offset, limit, member, k)
        entries, count = self._entries(offset, limit), self.count()
        stored = self._stored([member]) if member else {}
        me = [Entry(value, name.encode()) for name, value in stored.items()]
        around = self._neighbours(me[0], k)[0] if me else []
        asked = [*entries[:1], *around[:1], *me]
        # one question for both: it is costly under dense ranks
        places = dict(zip(asked, self._places(asked), strict=True))
        rows, near = (
            self._with_ranks(chunk, places[chunk[0]]) if chunk else []
            for chunk in (entries, around)
        )
        standing = self._standing(me[0], places[me[0]], count) if me else None
        return View(
            count, rows, standing, near, self.details({row.member for row in (*rows, *near)})
        )

    @abstractmethod
    def details(self, members: Collection[str]) -> dict[str, str]:
        """What was remembered of the members to show beside their names; one round trip."""

    def _whole_view(self, offset: int, limit: int, member: str | None = None, k: int = 0) -> View:
        """Read a view with one function, which sees all parts at one moment."""
        part, width = self.parts[0], TIE_WIDTH if self.spec.budget.tied else 0
        name, keys = redis_functions.VIEW, [part.ranking, part.distinct, part.details, part.ties]
        asked: list[Any] = [offset, limit, member or "", k, width]
        if not self.in_one_place:
            name = redis_functions.WHOLE_VIEW
            keys = [key for part in self.parts for key in (part.ranking, part.distinct, part.ties)]
            keys += [home.details for home in self.homes]
            counted = 1 if part.directory else len(self.parts)
            asked += [len(self.parts), int(self.in_a_row), counted]
        (answer,) = redis_functions.call([(name, keys, asked)])
        count, page = answer[:2]
        details: dict[str, str] = {}
        rows = self._ranked(page, details)
        if len(answer) == COUNT_AND_PAGE or member is None:
            return View(count, rows, details=details)
        stored, position, better, distinct = answer[2]
        here = Entry(self.spec.budget.read(stored), member.encode())
        me = self._standing(here, Place(position, better, distinct), count)
        return View(count, rows, me, self._ranked(answer[3], details), details)

    def _ranked(self, rows: Sequence[Any], details: dict[str, str]) -> list[Row]:
        """Return the rows of one part's answer; cached details of the members go into `details`."""
        position, better, distinct, flat, remembered = rows
        entries = [
            self._entry(float(number), name)
            for name, number in zip(flat[::2], flat[1::2], strict=True)
        ]
        details.update(
            {
                entry.member.decode(): value.decode()
                for entry, value in zip(entries, remembered, strict=True)
                if value
            }
        )
        return self._with_ranks(entries, Place(position, better, distinct))

    def _standing(self, entry: Entry, place: Place, count: int) -> Standing:
        key = self.spec.budget.score(entry.stored)
        return ranking.standing(
            self.spec.ties, self.spec.order, (entry.member.decode(), key), place, count
        )

    def _rows(self, entries: Sequence[Entry], position: int) -> list[Row]:
        if not entries:
            return []
        if self.spec.ties is Ties.EARLIEST:
            return self._with_ranks(entries, Place(position, position, position))
        return self._with_ranks(entries, self._places(entries[:1])[0])

    def _with_ranks(self, entries: Sequence[Entry], first: Place) -> list[Row]:
        """Rank consecutive entries, given the first one's place."""
        keyed = [(entry.member.decode(), self.spec.budget.score(entry.stored)) for entry in entries]
        return ranking.rows(self.spec.ties, self.spec.order, keyed, first)

    def _places(self, entries: Sequence[Entry]) -> list[Place]:
        if not entries:
            return []
        answers = self._ask(entries)
        places = [Place(*map(sum, zip(*same, strict=True))) for same in zip(*answers, strict=True)]
        if self.spec.ties is Ties.DENSE and self._has_directory:
            places = [
                place._replace(distinct=own_part.distinct)
                for place, own_part in zip(places, answers[0], strict=True)
            ]
        elif self.spec.ties is Ties.DENSE and not self._distinct_adds_up:
            values = self._distinct(max(entry.stored for entry in entries))
            places = [
                place._replace(distinct=bisect_left(values, entry.stored))
                for place, entry in zip(places, entries, strict=True)
            ]
        return places

    def _entry(self, number: float, name: bytes) -> Entry:
        """Return the entry for a member of a sorted set and its number."""
        return Entry(*self.spec.budget.of_name(number, name))

    def _ask(self, entries: Sequence[Entry]) -> list[list[Place]]:
        """Return, per part, the places of these entries in it."""
        budget = self.spec.budget
        arguments: list[Any] = []
        for stored, member in entries:
            arguments += budget.number(stored), budget.tie(stored).encode() + member
        calls = [
            (redis_functions.PLACES, (part.ranking, part.distinct), arguments)
            for part in self.parts
        ]
        return [[Place(*place) for place in answer] for answer in redis_functions.call(calls)]

    @property
    def _distinct_adds_up(self) -> bool:
        """Whether no value lies in two parts."""
        return len(self.parts) == 1

    @property
    def _has_directory(self) -> bool:
        """Whether the parts keep their distinct values together."""
        return bool(self.parts[0].directory)

    def _distinct_ahead(self, stored: Sequence[int]) -> list[int]:
        """Return how many distinct values are better than each of these."""
        if self._has_directory:
            pipeline = boards_reader().pipeline(transaction=False)
            for value in stored:
                pipeline.zcount(self.parts[0].distinct, "-inf", f"({value}")
            return [int(count) for count in pipeline.execute()]
        if self._distinct_adds_up:
            return self._counted([f"({value}" for value in stored], "distinct")
        values = self._distinct(max(stored))
        return [bisect_left(values, value) for value in stored]

    def _distinct(self, below: int) -> list[int]:
        """Iterate the distinct stored values of all parts better than `below`, best first."""
        answers = self._all(
            lambda pipe, part: pipe.zrange(part.distinct, "-inf", f"({below}", byscore=True)
        )
        return sorted({int(value) for values in answers for value in values})

    def _entries(self, offset: int, limit: int) -> list[Entry]:
        if len(self.parts) == 1 or offset + limit <= MERGED:
            return self._merge([0] * len(self.parts), offset, limit)
        starts = self._cut(offset)
        return self._merge(starts, offset - sum(starts), limit)

    def _merge(self, starts: Sequence[int], skip: int, limit: int) -> list[Entry]:
        """Merge the parts from their starting points and return `limit` entries after `skip`."""
        if len(self.parts) == 1:
            starts, skip = [starts[0] + skip], 0
        slices = self._slices([(start, start + skip + limit - 1) for start in starts])
        return list(islice(heapq.merge(*slices), skip, skip + limit))

    def _slices(self, bounds: Sequence[tuple[int, int]]) -> list[list[Entry]]:
        pipeline = boards_reader().pipeline(transaction=False)
        for part, (first, last) in zip(self.parts, bounds, strict=True):
            pipeline.zrange(part.ranking, first, last, withscores=True)
        return [[self._entry(number, name) for name, number in rows] for rows in pipeline.execute()]

    def _cut(self, target: int) -> list[int]:
        """Find a start in each part so that few entries are merged to reach position `target`.

        Halves the widest part's range each time by the entry in its middle, as a search for a
        median does.
        """
        low = [0] * len(self.parts)
        high = self._all(lambda pipe, part: pipe.zcard(part.ranking))
        while sum(high) - sum(low) > MERGED:
            widest = max(range(len(low)), key=lambda part: high[part] - low[part])
            middle = (low[widest] + high[widest]) // 2
            bounds = [(middle, middle) if part == widest else (1, 0) for part in range(len(low))]
            middle_entries = self._slices(bounds)[widest]
            if not middle_entries:  # the part has shrunk since it was counted
                high[widest] = middle
                continue
            ahead = [place.before for (place,) in self._ask(middle_entries[:1])]
            if sum(ahead) <= target:
                ahead[widest] += sum(ahead) < target  # the entry itself is before the target
                low = [max(pair) for pair in zip(low, ahead, strict=True)]
            else:
                high = [min(pair) for pair in zip(high, ahead, strict=True)]
        return low

    def _neighbours(self, entry: Entry, k: int) -> tuple[list[Entry], int]:
        """The entry, up to `k` before and `k` after, and the position of the first of them."""
        ahead = [place.before for (place,) in self._ask([entry])]
        bounds = [(max(0, before - k), before + k) for before in ahead]
        entries = list(heapq.merge(*self._slices(bounds)))
        here = bisect_left(entries, entry)
        first = max(0, here - k)
        return entries[first : here + k + 1], sum(ahead) - (here - first)

    def _all(self, *commands: Any) -> list[Any]:
        """Return the answers of each command for each part, part by part, in one round trip."""
        pipeline = boards_reader().pipeline(transaction=False)
        for part in self.parts:
            for command in commands:
                command(pipeline, part)
        answers: list[Any] = pipeline.execute()
        return answers


def _count_to(pipe: Any, part: Part, *, key: str, limit: str) -> None:
    pipe.zcount(getattr(part, key), "-inf", limit)


def chunks(items: Iterable[Any], size: int) -> Iterable[list[Any]]:
    """Yield lists of at most `size` items, in order."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
