"""The hash layout: members are distributed over sorted sets by their names.

With one shard it is a plain sorted set.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any
from zlib import crc32

import msgspec
import redis

from app.boards.layouts import redis_functions
from app.boards.layouts.parts import Part, PartedReads, chunks
from app.boards.rules import Aggregation, Held, Ties
from app.boards.spec import BoardSpec
from app.core.redis.clients import boards_reader, boards_redis, is_cluster

CHUNK = 500  # members per call: the server does nothing else meanwhile
FILLED = 5_000  # members per round trip while a board is filled
ARGUMENTS, ANSWERS = 4, 5  # arguments and answers per attempt
OUTCOMES = ("counted", "unchanged", "seen", "out_of_range")
COUNTED, _, SEEN, _ = range(len(OUTCOMES))
Answer = Sequence[Any]
"""Of one attempt: outcome (of OUTCOMES), number and tie now, number and tie before.

Without a place the number is False; without a time that decides ties the tie is empty.
"""


@dataclass(frozen=True)
class Applied:
    """The outcome of an attempt.

    Attributes:
        outcome: `counted` if the member's place changed; `unchanged` if the attempt was no better;
            `seen` if the event was applied before; `out_of_range` if the total would leave the
            exact range, so nothing changed.
        score: What the member holds now; None for a member without a place.
    """

    outcome: str
    score: int | None


@dataclass(frozen=True)
class Wholeness:
    """Whether a board holds all that was written to it.

    Attributes:
        lost: A part holds less than was written to it.
        uncounted: Nobody knows how much was written to some part: it is new and has no scores, or
            has lost everything.
        members: Members per part, homes first.
    """

    lost: bool
    uncounted: bool
    members: Sequence[int]


class HashBoard(PartedReads):
    """A board that is read from the same parts that record what each member holds."""

    def __init__(self, spec: BoardSpec, following: HashBoard | None = None) -> None:
        super().__init__(spec)
        self.following = following

    @property
    def written(self) -> Sequence[HashBoard]:
        """The generations that writes go to: this one and, while the board moves, the next."""
        return [self] if self.following is None else [self, self.following]

    def size(self) -> int:
        """Return how many members the homes record, read from the primary."""
        pipeline = boards_redis().pipeline(transaction=False)
        for part in self.homes:
            pipeline.zcard(part.ranking)
        return sum(pipeline.execute())

    def wholeness(self) -> Wholeness:
        """Return whether this generation still holds all that was written to it.

        Takes one round trip; a replica may answer.
        """
        return self.wholeness_of(redis_functions.call(self.wholeness_calls()))

    def wholeness_calls(self) -> list[redis_functions.Call]:
        """Return the calls of `wholeness`, to ask for many boards in one round trip."""
        latest = int(self.spec.aggregation is Aggregation.LATEST)
        about = (self._dense, latest, int(self.spec.budget.tied))
        return [(redis_functions.WHOLE, part.written, about) for part in self.homes]

    def wholeness_of(self, answers: Sequence[Any]) -> Wholeness:
        """Read the answers to `wholeness_calls`, in their order."""
        states = [state.decode() for _, state in answers]
        return Wholeness(
            "lost" in states, "uncounted" in states, [int(members) for members, _ in answers]
        )

    def count_members(self) -> None:
        """Record that each part holds all it should, so that a loss shows from now on.

        The caller has made sure of it and keeps others from writing.
        """
        redis_functions.call(
            [(redis_functions.COUNT, part.written, ()) for part in self._all_parts]
        )

    @property
    def _all_parts(self) -> Sequence[Part]:
        return self.homes

    @cached_property
    def homes(self) -> Sequence[Part]:
        """The parts that record what members hold."""
        several = self.spec.shards > 1 and self.spec.ties is Ties.DENSE
        # On a cluster each part lies on a node of its own, and no function reaches two nodes.
        directory = self.spec.tag("all") if several and not is_cluster(boards_redis()) else ""
        return [Part(self.spec.tag(f"s{number}"), directory) for number in range(self.spec.shards)]

    @property
    def parts(self) -> Sequence[Part]:
        """All parts of the board."""
        return self.homes

    def part_of(self, member: str) -> Part:
        """Return the member's home."""
        return self.homes[self._home_of(member)]

    def _home_of(self, member: str) -> int:
        shards = self.spec.shards
        return crc32(member.encode()) % shards if shards > 1 else 0

    def written_values(self, members: Collection[str]) -> dict[str, int]:
        """Read the stored values of members from the primary, not from a replica."""
        stored_values = self._look_up(boards_redis(), members)
        if not self.spec.budget.tied:
            return stored_values
        placed = self._placed(
            {member: (self.part_of(member), stored) for member, stored in stored_values.items()}
        )
        return {member: stored for member, stored in stored_values.items() if member in placed}

    def _placed(self, places: Mapping[str, tuple[Part, int]]) -> set[str]:
        """Return which members stand in these parts with these values, read from the primary."""
        budget, pipeline = self.spec.budget, boards_redis().pipeline(transaction=False)
        by_part: dict[str, list[str]] = {}
        for member, (part, _) in places.items():
            by_part.setdefault(part.ranking, []).append(member)
        for ranking, members in by_part.items():
            pipeline.zmscore(
                ranking, [budget.tie(places[member][1]) + member for member in members]
            )
        numbers = chain.from_iterable(pipeline.execute())
        asked = chain.from_iterable(by_part.values())
        return {
            member
            for member, number in zip(asked, numbers, strict=True)
            if number == budget.number(places[member][1])
        }

    def _stored(self, members: Collection[str]) -> dict[str, int]:
        return self._look_up(boards_reader(), members)

    def _look_up(self, client: redis.Redis, members: Collection[str]) -> dict[str, int]:
        """Return what the homes hold of the members; one round trip."""
        budget, pipeline = self.spec.budget, client.pipeline(transaction=False)
        by_home: dict[int, list[str]] = {}
        for member in members:
            by_home.setdefault(self._home_of(member), []).append(member)
        for home, names in by_home.items():
            part = self.homes[home]
            if budget.tied:
                pipeline.hmget(part.ties, names)
            else:
                pipeline.zmscore(part.ranking, names)
        numbers = chain.from_iterable(pipeline.execute())
        asked = chain.from_iterable(by_home.values())
        return {
            member: budget.read(number) if budget.tied else int(number)
            for member, number in zip(asked, numbers, strict=True)
            if number is not None
        }

    def apply_calls(self, part: Part, arguments: Sequence[Any]) -> list[redis_functions.Call]:
        """Return the calls that apply attempts of this part's members, one after the other.

        `arguments` holds member, event, score and time of all attempts, one after the other.
        """
        spec = self.spec
        counted = (spec.aggregation, self._dense, int(spec.budget.tied), spec.budget.limit)
        return [
            (redis_functions.APPLY, part.written, (*counted, msgspec.msgpack.encode(chunk)))
            for chunk in chunks(arguments, ARGUMENTS * CHUNK)
        ]

    def outcome(self, answers: Sequence[Answer]) -> Applied:
        """Return the outcome from the answers of all generations in `written`.

        An event that any generation has seen is `seen`: a crash may have kept it from the others,
        and only a `put` makes them equal again.
        """
        (outcome, number, *_), *others = answers
        was_seen = any(answer[0] == SEEN for answer in others)
        return Applied(
            OUTCOMES[SEEN if was_seen else outcome], None if number is False else -number
        )

    def put(self, values: Mapping[str, Held | None]) -> None:
        """Set what these members hold, whatever they held before; None removes a member.

        Raises:
            OutOfRangeError: A score is outside the exact range.
        """
        for board in self.written:
            board._put(values)

    def _put(self, values: Mapping[str, Held | None]) -> None:
        redis_functions.call(self._puts(values.items()))

    def settle(self, answers: Sequence[tuple[str, Answer]]) -> None:
        """Find the follow-up work for answers of `apply_calls`; this layout has none."""

    def load(self, entries: Iterable[tuple[str, Held]]) -> int:
        """Fill an empty generation from a stream of members; return how many there were.

        A stream in the board's order is the fastest, because the store need not search for each
        member's place.
        """
        loaded = 0
        for chunk in chunks(entries, FILLED):
            self._fill(chunk)
            loaded += len(chunk)
        self.count_members()
        return loaded

    def _fill(self, entries: Sequence[tuple[str, Held]]) -> None:
        """Add members that are not on the board yet.

        No function is needed if their places are all that is stored of them.
        """
        if self._dense or self.spec.aggregation is Aggregation.LATEST:
            redis_functions.call(self._puts(entries))
            return
        budget = self.spec.budget
        by_home: list[dict[str, int]] = [{} for _ in self.homes]
        for member, holds in entries:
            by_home[self._home_of(member)][member] = budget.encode(holds)
        pipeline = boards_redis().pipeline(transaction=False)
        for part, values in zip(self.homes, by_home, strict=True):
            if not values:
                continue
            pipeline.incr(part.changed)
            for chunk in chunks(values.items(), CHUNK):
                if not budget.tied:
                    pipeline.zadd(part.ranking, dict(chunk))  # the stored value is the number
                    continue
                pipeline.zadd(
                    part.ranking,
                    {budget.tie(stored) + name: budget.number(stored) for name, stored in chunk},
                )
                pipeline.hset(
                    part.ties, mapping={name: budget.text(stored) for name, stored in chunk}
                )
        pipeline.execute()

    def _puts(self, entries: Iterable[tuple[str, Held | None]]) -> list[redis_functions.Call]:
        by_part: dict[Part, list[Any]] = {}
        for member, holds in entries:
            values: tuple[Any, Any] = ("", "")
            if holds is not None:
                rests = (
                    f"{holds.at} {holds.event}"
                    if self.spec.aggregation is Aggregation.LATEST
                    else ""
                )
                values = self.spec.budget.text(self.spec.budget.encode(holds)), rests
            by_part.setdefault(self.part_of(member), []).extend((member, *values))
        return [
            (redis_functions.PUT, part.written, (self._dense, *chunk))
            for part, values in by_part.items()
            for chunk in chunks(values, 3 * CHUNK)
        ]

    def publish(self, version: int, scores: Mapping[str, int]) -> bool:
        """Replace all scores at once; False if the board already holds a newer version.

        Only for boards with one shard.
        """
        (done,) = redis_functions.call(
            [self.publish_call(redis_functions.PUBLISH, version, scores)]
        )
        return bool(done)

    def publish_call(
        self, name: str, version: int, scores: Mapping[str, int]
    ) -> redis_functions.Call:
        """Build the call of `publish` or, with redis_functions.AMEND, of changes to some scores."""
        (part,) = self.parts
        budget = self.spec.budget
        ranked = [
            value
            for member, score in scores.items()
            for value in (member, budget.text(budget.encode(Held(score, 0))))
        ]
        return name, part.published, (self._dense, version, *ranked)

    def published(self) -> tuple[int, dict[str, int]] | None:
        """Return version and scores by member, in the board's order; None if none is published."""
        (part,) = self.parts
        pipeline = boards_redis().pipeline(transaction=True)
        pipeline.get(part.version)
        pipeline.get(part.size)
        pipeline.zrange(part.ranking, 0, -1, withscores=True)
        version, size, entries = pipeline.execute()
        if version is None or size is None or int(size) != len(entries):
            return None
        decoded = [self._entry(number, name) for name, number in entries]
        return int(version), {
            member.decode(): self.spec.budget.score(stored) for stored, member in decoded
        }

    def details(self, members: Collection[str]) -> dict[str, str]:
        """Return what is cached to show beside the members' names; one round trip."""
        by_home: dict[Part, list[str]] = {}
        for member in members:
            by_home.setdefault(self.part_of(member), []).append(member)
        pipeline = boards_reader().pipeline(transaction=False)
        for part, names in by_home.items():
            pipeline.hmget(part.details, names)
        answers = zip(by_home.values(), pipeline.execute(), strict=True)
        return {
            member: value.decode()
            for names, values in answers
            for member, value in zip(names, values, strict=True)
            if value
        }

    def remember(self, details: Mapping[str, str], seconds: int) -> None:
        """Cache what to show of these members unless something is cached already; one round trip.

        A reader's values may be older than what `rename` has written in the meantime.
        """
        pipeline = boards_redis().pipeline(transaction=False)
        for member, text in details.items():
            key = self.part_of(member).details
            pipeline.hsetnx(key, member, text)
            pipeline.expire(key, seconds, nx=True)
        for changed in {self.part_of(member).changed for member in details}:
            pipeline.incr(changed)
        pipeline.execute()

    def rename(self, member: str, text: str, seconds: int) -> None:
        """Replace what is shown of the member; one round trip."""
        part = self.part_of(member)
        pipeline = boards_redis().pipeline(transaction=False)
        pipeline.hset(part.details, member, text)
        pipeline.expire(part.details, seconds, nx=True)
        pipeline.incr(part.changed)
        pipeline.execute()

    def changes(self) -> dict[str, str]:
        """Return each read part's change counter by key, as text; empty if it has not changed.

        Only for boards in one place: members of others are recorded elsewhere too. Reads the
        primary.
        """
        keys = [part.changed for part in self.parts]
        counts = zip(keys, boards_redis().mget(keys), strict=True)
        return {key: count.decode() if isinstance(count, bytes) else "" for key, count in counts}

    def drop(self) -> None:
        """Remove this generation of the board from Redis."""
        pipeline = boards_redis().pipeline(transaction=False)
        for key in self._keys:
            pipeline.unlink(key)
        pipeline.execute()

    @property
    def _keys(self) -> Sequence[str]:
        return [key for part in self.homes for key in part.all]

    @property
    def _dense(self) -> int:
        """Whether homes keep the distinct values."""
        return int(self.spec.ties is Ties.DENSE)
