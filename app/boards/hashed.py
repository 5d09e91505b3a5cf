"""The hash layout: members shared out over sorted sets by their name; with one shard, a plain sorted set."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zlib import crc32

from app.boards import redis_functions
from app.boards.parts import Part, PartedReads, chunks
from app.boards.rules import Aggregation, Attempt, Held, Ties
from app.boards.spec import BoardSpec
from app.core.redis import boards_reader, boards_redis

CHUNK = 500  # members of one call: the server does nothing else meanwhile
FILLED = 5_000  # members of one round trip that fills a board


@dataclass(frozen=True)
class Applied:
    """What became of an attempt. `counted`: the member's place changed; `unchanged`: it did not better what they held;
    `seen`: this event was applied before; `out_of_range`: the total would leave the exact range, nothing changed.
    `score`: what they hold now; None for one without a place."""

    outcome: str
    score: int | None


class HashBoard(PartedReads):
    """A board whose members' homes, the parts that say what each of them holds, are also what is read."""

    def __init__(self, spec: BoardSpec, following: HashBoard | None = None) -> None:
        super().__init__(spec)
        self.following = following

    @property
    def written(self) -> Sequence[HashBoard]:
        """This generation and, while the board moves, the next."""
        return [self] if self.following is None else [self, self.following]

    def size(self) -> int:
        """How many members their homes know of, where boards are written: no replica's answer."""
        pipeline = boards_redis().pipeline(transaction=False)
        for part in self.homes:
            pipeline.zcard(part.ranking)
        return sum(pipeline.execute())

    @cached_property
    def homes(self) -> Sequence[Part]:
        return [Part(self.spec.tag(f"s{number}")) for number in range(self.spec.shards)]

    @property
    def parts(self) -> Sequence[Part]:
        return self.homes

    def part_of(self, member: str) -> Part:
        """The member's home."""
        return self.homes[crc32(member.encode()) % self.spec.shards]

    def _stored(self, members: Collection[str]) -> dict[str, int]:
        wanted = list(members)
        pipeline = boards_reader().pipeline(transaction=False)
        for member in wanted:
            pipeline.zscore(self.part_of(member).ranking, member)
        found = zip(wanted, pipeline.execute(), strict=True)
        return {member: int(stored) for member, stored in found if stored is not None}

    def apply_call(self, member: str, attempt: Attempt) -> redis_functions.Call:
        spec, budget = self.spec, self.spec.budget
        counted = (spec.aggregation, self._dense, budget.tie_bits, budget.limit)
        arguments = (*counted, member, attempt.event, attempt.score, budget.second(attempt.at), attempt.at)
        return redis_functions.APPLY, self.part_of(member).written, arguments

    def outcome(self, answers: Sequence[Sequence[bytes]]) -> Applied:
        """What this generation answered, of all those `written`. An event that any of them has seen is `seen`: the
        others may have been kept from it by a crash, and only a `put` makes them equal again."""
        (outcome, stored, _), *others = answers
        seen = any(answer[0] == b"seen" for answer in others)
        score = self.spec.budget.score(int(float(stored))) if stored else None
        return Applied("seen" if seen else outcome.decode(), score)

    def put(self, held: Mapping[str, Held | None]) -> None:
        """Sets what these members hold, whatever they held; None takes a member off the board. Raises OutOfRange."""
        for board in self.written:
            board._put(held)

    def _put(self, held: Mapping[str, Held | None]) -> None:
        redis_functions.call(self._puts(held.items()))

    def settle(self, answers: Sequence[tuple[str, Sequence[bytes]]]) -> None:
        """What is left to do for answers (member, answer) of `apply_call`, in their order: here nothing."""

    def load(self, held: Iterable[tuple[str, Held]]) -> int:
        """`put` for a whole board that comes as a stream, into an empty generation; returns how many members.

        A stream in the board's order is the fastest: the store need not search where each member goes.
        """
        loaded = 0
        for chunk in chunks(held, FILLED):
            self._fill(chunk)
            loaded += len(chunk)
        return loaded

    def _fill(self, held: Sequence[tuple[str, Held]]) -> None:
        """Members that are not there yet. Where their places are all that is kept of them, no function is needed."""
        if self._dense or self.spec.aggregation is Aggregation.LATEST:
            redis_functions.call(self._puts(held))
            return
        by_home: dict[str, dict[str, int]] = {}
        for member, holds in held:
            by_home.setdefault(self.part_of(member).ranking, {})[member] = self.spec.budget.encode(holds)
        pipeline = boards_redis().pipeline(transaction=False)
        for ranking, values in by_home.items():
            for some in chunks(values.items(), CHUNK):
                pipeline.zadd(ranking, dict(some))
        pipeline.execute()

    def _puts(self, held: Iterable[tuple[str, Held | None]]) -> list[redis_functions.Call]:
        by_part: dict[Part, list[Any]] = {}
        for member, holds in held:
            values: tuple[Any, Any] = ("", "")
            if holds is not None:
                rests = f"{holds.at} {holds.event}" if self.spec.aggregation is Aggregation.LATEST else ""
                values = self.spec.budget.encode(holds), rests
            by_part.setdefault(self.part_of(member), []).extend((member, *values))
        return [
            (redis_functions.PUT, part.written, (self._dense, *chunk))
            for part, values in by_part.items()
            for chunk in chunks(values, 3 * CHUNK)
        ]

    def publish(self, version: int, scores: Mapping[str, int]) -> bool:
        """Replaces all scores at once; False when the board already holds a newer version. One shard only."""
        (done,) = redis_functions.call([self.publish_call(redis_functions.PUBLISH, version, scores)])
        return bool(done)

    def publish_call(self, name: str, version: int, scores: Mapping[str, int]) -> redis_functions.Call:
        """The call of `publish`, or with redis_functions.AMEND that of these scores alone (board.amend_all)."""
        (part,) = self.parts
        ranked = [
            value for member, score in scores.items() for value in (member, self.spec.budget.encode(Held(score, 0)))
        ]
        keys = (part.ranking, part.distinct, part.written[2], part.version)
        return name, keys, (self._dense, version, *ranked)

    def published(self) -> tuple[int, dict[str, int]] | None:
        """Version and score by member of a published board, in the board's order; None when it is not held."""
        (part,) = self.parts
        pipeline = boards_redis().pipeline(transaction=True)
        pipeline.get(part.version)
        pipeline.zrange(part.ranking, 0, -1, withscores=True)
        version, entries = pipeline.execute()
        if version is None:
            return None
        return int(version), {member.decode(): self.spec.budget.score(int(stored)) for member, stored in entries}

    def details(self, members: Collection[str]) -> dict[str, str]:
        """What was remembered of the members to show beside their names; one round trip."""
        by_home: dict[Part, list[str]] = {}
        for member in members:
            by_home.setdefault(self.part_of(member), []).append(member)
        pipeline = boards_reader().pipeline(transaction=False)
        for part, names in by_home.items():
            pipeline.hmget(part.details, names)
        found = zip(by_home.values(), pipeline.execute(), strict=True)
        return {
            member: value.decode()
            for names, values in found
            for member, value in zip(names, values, strict=True)
            if value
        }

    def remember(self, details: Mapping[str, str], seconds: int) -> None:
        """Keeps what to show of these members for so long; one round trip."""
        pipeline = boards_redis().pipeline(transaction=False)
        for member, text in details.items():
            key = self.part_of(member).details
            pipeline.hset(key, member, text)
            pipeline.expire(key, seconds, nx=True)
        pipeline.execute()

    def drop(self) -> None:
        """Takes this generation of the board out of Redis."""
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
