"""The boards in Redis against plain Python.

Any sequence of submits, doubles, removals and rollbacks gives the same board, whatever the
aggregation, the tie policy and the number of shards, and every read agrees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.boards.layouts.board import Board, apply_all, forget_dedup_keys, open_board
from app.boards.rules import SECOND, Aggregation, Attempt, Budget, Held, OutOfRangeError, Ties, fold
from app.boards.spec import BoardSpec
from app.core.redis.clients import boards_redis
from tests.boards.plain import PlainBoard
from tests.sizes import size

ORIGIN = 1_767_225_600 * SECOND  # 2026-01-01
# Nine kinds of board, so many sequences each.
SEQUENCES = size("PRESSBOX_BOARD_SEQUENCES", 40, 560)
NUMBERS = count(1)

MEMBERS = st.sampled_from(["a", "b", "ba", "B", "ü", "zz", "10", "9"])
SCORES = st.one_of(
    st.integers(-3, 3), st.sampled_from([-7_000, 12_345, 2**53 - 1, -(2**52), 2**52])
)
TIMES = st.one_of(
    st.integers(0, 3),
    st.integers(0, 3 * SECOND),
    st.sampled_from([-5 * SECOND, 86_400 * SECOND, 10**9 * SECOND]),
)
SUBMIT = st.tuples(st.just("submit"), MEMBERS, SCORES, TIMES)
PICK = st.integers(0, 30)
STEP = st.one_of(
    SUBMIT,
    SUBMIT,
    SUBMIT,
    st.tuples(st.just("double"), PICK),
    st.tuples(st.just("rollback"), PICK),
    st.tuples(st.just("remove"), MEMBERS),
    st.tuples(st.just("write behind")),
)


@dataclass
class Both:
    """A board in Redis and its attempts in plain Python.

    Submits wait to go out together, as a batch does.
    """

    board: Board
    waiting: list[tuple[str, Attempt]] = field(default_factory=list)
    counted: dict[str, list[Attempt]] = field(default_factory=dict)
    marked: list[tuple[str, Attempt]] = field(default_factory=list)

    @property
    def spec(self) -> BoardSpec:
        return self.board.spec

    def submit(self, member: str, attempt: Attempt) -> None:
        self.waiting.append((member, attempt))

    def send(self) -> None:
        outcomes = apply_all([(self.board, member, attempt) for member, attempt in self.waiting])
        for (member, attempt), applied in zip(self.waiting, outcomes, strict=True):
            before = fold(self.spec.aggregation, self.counted.get(member, []))
            if (member, attempt) in self.marked:
                assert applied.outcome == "seen"
            elif self.leaves_the_range(before, attempt):
                assert applied.outcome == "out_of_range"
            else:
                self.counted.setdefault(member, []).append(attempt)
                self.marked.append((member, attempt))
                after = fold(self.spec.aggregation, self.counted[member])
                assert after is not None
                moved = before is None or self.stored(before) != self.stored(after)
                assert applied.outcome == ("counted" if moved else "unchanged")
                assert applied.score == after.score
        self.waiting.clear()

    def leaves_the_range(self, before: Held | None, attempt: Attempt) -> bool:
        total = attempt.score
        if self.spec.aggregation is Aggregation.SUM and before is not None:
            total += before.score
        return max(abs(total), abs(attempt.score)) > self.spec.budget.limit

    def stored(self, record: Held) -> int:
        return self.spec.budget.encode(record)

    def put(self, member: str) -> None:
        self.board.put({member: fold(self.spec.aggregation, self.counted.get(member, []))})

    def plain(self) -> PlainBoard:
        records = {
            member: fold(self.spec.aggregation, attempts)
            for member, attempts in self.counted.items()
            if attempts
        }
        return PlainBoard(self.spec, {member: holds for member, holds in records.items() if holds})


def play(both: Both, steps: list[tuple[object, ...]]) -> None:
    """The steps on the board.

    A step that names an attempt takes it by number among those there are.
    """
    for number, step in enumerate(steps):
        match step:
            case ("submit", str(member), int(score), int(after)):
                both.submit(member, Attempt(ORIGIN + after, f"event-{number % 7}-{number}", score))
            case ("double", int(which)) if both.marked:
                both.submit(*both.marked[which % len(both.marked)])
            case ("rollback", int(which)):
                both.send()
                known = [
                    (member, attempt)
                    for member, attempts in both.counted.items()
                    for attempt in attempts
                ]
                if known:
                    member, attempt = known[which % len(known)]
                    both.counted[member].remove(attempt)
                    put_within_range(both, member)
            case ("remove", str(member)):
                both.send()
                both.counted.pop(member, None)
                both.put(member)
            case ("write behind",):
                both.send()
                forget_dedup_keys(
                    [(both.board, member, attempt.event) for member, attempt in both.marked]
                )
                both.marked.clear()
    both.send()


def put_within_range(both: Both, member: str) -> None:
    """A rollback may leave a total that the board cannot hold.

    It is refused, and the member comes off whole here.
    """
    try:
        both.put(member)
    except OutOfRangeError:
        both.counted.pop(member)
        both.put(member)


def assert_alike(both: Both) -> None:
    board, plain = both.board, both.plain()
    assert board.count() == plain.count()
    rows = plain.page(0, 100)
    assert board.page(0, 100) == rows
    assert board.page(1, 2) == plain.page(1, 2)
    assert board.page(100, 5) == []
    members = [*both.counted, "nobody"]
    assert board.standings(members) == plain.standings(members)
    for member in members[:1] + members[-1:]:
        assert board.around(member, 1) == plain.around(member, 1)
    assert board.view(1, 3, members[0], 2) == plain.view(1, 3, members[0], 2)
    for score in (0, 3, -7_001):
        assert board.rank_of_score(score) == plain.rank_of_score(score)
    assert board.band(-1, 2, 0, 10) == plain.band(-1, 2, 0, 10)
    assert board.band(-10_000, 20_000, 1, 2) == plain.band(-10_000, 20_000, 1, 2)


@pytest.mark.sized
@pytest.mark.parametrize("ties", list(Ties))
@pytest.mark.parametrize("aggregation", list(Aggregation))
def test_any_sequence_gives_the_board_of_plain_python(
    app: Flask, measured: Callable[[str], None], aggregation: Aggregation, ties: Ties
) -> None:
    played = count()

    @settings(
        max_examples=SEQUENCES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(steps=st.lists(STEP, max_size=25), shards=st.sampled_from([1, 1, 3]))
    def sequence(steps: list[tuple[object, ...]], shards: int) -> None:
        budget = Budget(tied=ties is Ties.EARLIEST)
        spec = BoardSpec(
            "model", "mode", f"w{next(NUMBERS)}", aggregation, ties, budget, shards=shards
        )
        both = Both(open_board(spec))
        play(both, steps)
        assert_alike(both)
        rebuilt = open_board(
            BoardSpec("model", "again", spec.window, aggregation, ties, budget, shards=4 - shards)
        )
        rebuilt.load((member, holds) for member, holds in both.plain().held.items())
        both.board.drop()
        both.board = rebuilt
        assert_alike(both)
        rebuilt.drop()
        next(played)

    sequence()
    assert boards_redis().keys("lb:*") == [], "a dropped board leaves nothing behind"
    measured(f"Boards against plain Python ({aggregation}, ties {ties}): {next(played)} sequences")
