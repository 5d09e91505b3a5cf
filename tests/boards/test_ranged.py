"""The range layout against plain Python.

After any sequence, while its points move and afterwards.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.boards.layouts import balance, redis_functions
from app.boards.layouts.balance import move_split_points, rebalance
from app.boards.layouts.board import apply_all, open_board
from app.boards.layouts.ranged import NOWHERE, RangeBoard, split_points_of_counts
from app.boards.rules import SECOND, Aggregation, Attempt, Budget, Held, Ties
from app.boards.spec import HASH, RANGE, BoardSpec
from app.core.redis.clients import boards_redis
from tests.boards.plain import PlainBoard
from tests.boards.test_model import ORIGIN, STEP, Both, assert_alike, play
from tests.sizes import size

SEQUENCES = size("PRESSBOX_RANGE_SEQUENCES", 4, 25)  # of each of nine kinds of board
MEMBERS = size("PRESSBOX_RANGE_MEMBERS", 300, 900)
NUMBERS = count(1)


def budget(ties: Ties) -> Budget:
    return Budget(tied=ties is Ties.EARLIEST)


def ranged(
    ties: Ties = Ties.SHARED, aggregation: Aggregation = Aggregation.HIGHEST, shards: int = 4
) -> RangeBoard:
    board = open_board(
        BoardSpec(
            "game",
            "mode",
            f"w{next(NUMBERS)}",
            aggregation,
            ties,
            budget(ties),
            layout=RANGE,
            shards=shards,
        )
    )
    assert isinstance(board, RangeBoard)
    return board


@contextmanager
def unlocked() -> Iterator[None]:
    """Nobody else writes in these tests."""
    yield


def sizes(board: RangeBoard) -> list[int]:
    return list(balance.balance(board).partitions)


@pytest.mark.sized
@pytest.mark.parametrize("ties", list(Ties))
@pytest.mark.parametrize("aggregation", list(Aggregation))
def test_any_sequence_gives_the_board_of_plain_python_however_the_cuts_lie(
    app: Flask, monkeypatch: pytest.MonkeyPatch, aggregation: Aggregation, ties: Ties
) -> None:
    monkeypatch.setattr(balance, "CHUNK", 2)
    monkeypatch.setattr(balance, "STEPS", 1)
    points = st.lists(st.integers(-4, 4), min_size=2, max_size=2).map(sorted)

    @settings(
        max_examples=SEQUENCES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        steps=st.lists(STEP, max_size=15),
        first=points,
        more=st.lists(STEP, max_size=10),
        second=points,
    )
    def sequence(
        steps: list[tuple[object, ...]],
        first: list[int],
        more: list[tuple[object, ...]],
        second: list[int],
    ) -> None:
        both = Both(ranged(ties, aggregation, shards=3))
        board = both.board
        assert isinstance(board, RangeBoard)
        play(both, steps)
        for points, then in ((first, more), (second, [])):
            move_split_points(board, points, unlocked, lambda _: assert_alike(both))
            assert_lies_as_cut(board)
            play(both, [("pause",)] * 50 + then)  # attempts are named by the number of their step
            assert_alike(both)
        assert_lies_as_cut(board)
        board.drop()

    sequence()
    assert boards_redis().keys("lb:*") == [], "a dropped board leaves nothing behind"


def assert_lies_as_cut(board: RangeBoard) -> None:
    points = board.split_points()
    assert not points.moving
    for number, part in enumerate(board.parts):
        for _, stored in boards_redis().zrange(part.ranking, 0, -1, withscores=True):
            assert points.partition(int(stored)) == number
    assert balance.balance(board).agrees


@pytest.mark.sized
@pytest.mark.parametrize("ties", list(Ties))
def test_every_layout_answers_alike_while_a_board_is_made_even_too(
    app: Flask, monkeypatch: pytest.MonkeyPatch, ties: Ties
) -> None:
    monkeypatch.setattr(balance, "CHUNK", 10)
    monkeypatch.setattr(balance, "WORTH_IT", 10)
    chance = random.Random(11)  # noqa: S311  (a fixed draw, not a secret)
    records = {
        f"m{n}": Held(
            chance.choice([7] + [chance.randrange(-300, 300)] * 4), ORIGIN + n % 90 * SECOND
        )
        for n in range(MEMBERS)
    }
    spec = BoardSpec("game", "mode", "alike", ties=ties, budget=budget(ties))
    plain = PlainBoard(spec, records)
    kinds = [(HASH, 1), (HASH, 3), (RANGE, 1), (RANGE, 5)]
    layouts = [
        open_board(replace(spec, window=f"{layout}{shards}", layout=layout, shards=shards))
        for layout, shards in kinds
    ]
    uneven = layouts[-1]
    assert isinstance(uneven, RangeBoard)
    uneven.set_split_points([NOWHERE] * 4)  # all of it begins in one partition
    for board in layouts:
        assert board.load(records.items()) == MEMBERS
    assert sizes(uneven) == [MEMBERS, 0, 0, 0, 0]
    assert balance.balance(uneven).is_uneven
    moves = []

    def compare(moved: int) -> None:
        moves.append(moved)
        member, offset, score = (
            f"m{chance.randrange(MEMBERS)}",
            chance.randrange(MEMBERS),
            chance.randrange(-310, 310),
        )
        for board in layouts if len(moves) == 1 else [uneven]:
            assert board.count() == MEMBERS
            assert board.view(offset, 12, member, 4) == plain.view(offset, 12, member, 4)
            assert board.page(offset, 40) == plain.page(offset, 40)
            assert board.around(member, 6) == plain.around(member, 6)
            assert board.band(-20, score, 3, 9) == plain.band(-20, score, 3, 9)
            assert board.rank_of_score(score) == plain.rank_of_score(score)
            assert board.standings([member, "nobody", "m1"]) == plain.standings(
                [member, "nobody", "m1"]
            )

    moved = rebalance(uneven, unlocked, compare)
    compare(moved)
    assert len(moves) > 5
    assert not balance.balance(uneven).is_uneven
    assert_lies_as_cut(uneven)
    assert rebalance(uneven, unlocked) == 0, "what is even stays as it is"


@pytest.mark.parametrize("where", ["before it takes the lock", "before it notes how far it is"])
def test_a_run_that_was_killed_is_taken_up_again_and_writers_go_on_meanwhile(
    app: Flask, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(balance, "CHUNK", 7)
    monkeypatch.setattr(balance, "STEPS", 1)
    for kill_at in range(2, 15, 3):
        board = ranged(Ties.SHARED, Aggregation.SUM)
        board.set_split_points([NOWHERE] * 3)
        records = {f"m{n}": Held(n // 9, 0) for n in range(100)}
        board.load(records.items())
        killed_in_time(board, monkeypatch, where, kill_at)
        assert board.split_points().moving
        attempts = [(board, f"m{n}", Attempt(n, f"e{n}", 5)) for n in range(0, 100, 3)]
        assert {applied.outcome for applied in apply_all(attempts)} == {"counted"}
        records |= {
            member: Held(records[member].score + 5, attempt.at) for _, member, attempt in attempts
        }
        board.put({"m1": None, "new": Held(3, 0)})
        del records["m1"]
        records["new"] = Held(3, 0)
        rebalance(board, unlocked)
        assert board.page(0, 200) == PlainBoard(board.spec, records).page(0, 200)
        assert_lies_as_cut(board)


def killed_in_time(
    board: RangeBoard, monkeypatch: pytest.MonkeyPatch, where: str, kill_at: int
) -> None:
    passed = count()

    def pass_or_die() -> None:
        if next(passed) == kill_at:
            raise KeyboardInterrupt

    @contextmanager
    def locked() -> Iterator[None]:
        if where == "before it takes the lock":
            pass_or_die()
        yield

    def note(board: RangeBoard, number: int, value: int) -> None:
        pass_or_die()
        set_cut(board, number, value)

    set_cut = balance._set
    with monkeypatch.context() as patch:
        if where == "before it notes how far it is":
            patch.setattr(balance, "_set", note)
        with pytest.raises(KeyboardInterrupt):
            rebalance(board, locked)


def test_a_crash_between_counting_at_home_and_placing_is_healed_by_the_next_put(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = ranged(Ties.DENSE, Aggregation.SUM)
    board.set_split_points([-30, -20, -10])
    board.put({"ann": Held(35, 0), "bob": Held(15, 0)})
    attempts = [(board, "ann", Attempt(1, "e1", -20)), (board, "new", Attempt(1, "e2", 25))]
    call = redis_functions.call

    def dies(calls: list[redis_functions.Call], *, together: bool = False) -> list[object]:
        if calls[0][0] == redis_functions.PUT:
            raise KeyboardInterrupt
        return call(calls)

    with monkeypatch.context() as patch:
        patch.setattr(redis_functions, "call", dies)
        with pytest.raises(KeyboardInterrupt):
            apply_all(attempts)
    assert [row.member for row in board.page(0, 9)] == ["ann", "bob"]
    assert not balance.balance(board).agrees
    assert {applied.outcome for applied in apply_all(attempts)} == {"seen"}
    board.put({"ann": Held(15, 1), "new": Held(25, 1)})
    assert [(row.rank, row.member) for row in board.page(0, 9)] == [
        (1, "new"),
        (2, "ann"),
        (2, "bob"),
    ]
    assert_lies_as_cut(board)


def test_a_stream_is_cut_by_its_beginning_or_by_the_counts_of_postgresql(app: Flask) -> None:
    records = {f"m{n}": Held((n * 7919) % 1000, 0) for n in range(1000)}
    board = ranged()
    board.load(records.items())
    assert max(sizes(board)) <= 251
    counts = [(score, 1) for score in range(999, -1, -1)]
    other = ranged()
    other.set_split_points(split_points_of_counts(counts, 4))
    other.load(sorted(records.items(), key=lambda item: item[1].score))
    assert sizes(other) == [250, 250, 250, 250]
    assert other.page(240, 20) == board.page(240, 20)
    assert split_points_of_counts([(5, 10), (4, 1)], 4) == (-4, -4, -4)
    assert split_points_of_counts([], 3) == (NOWHERE, NOWHERE)


def test_a_board_of_ranges_is_not_published_whole(app: Flask) -> None:
    with pytest.raises(ValueError, match="only a hash board with one shard"):
        ranged().publish(1, {"a": 1})


def test_parts_of_a_range_board_lie_apart_and_each_keeps_to_one_cluster_slot(app: Flask) -> None:
    board = ranged(Ties.DENSE, Aggregation.LATEST)
    board.put({f"m{n}": Held(n, n, "e") for n in range(50)})
    board.remember({"m1": "Ann"}, 60)
    tags: dict[bytes, set[bytes]] = {}
    for key in boards_redis().keys("lb:*"):
        tag = key[key.index(b"{") : key.index(b"}")]
        tags.setdefault(tag, set()).add(key)
    assert len(tags) > 4
    assert board.view(0, 3, "m1", 1).details == {"m1": "Ann"}
