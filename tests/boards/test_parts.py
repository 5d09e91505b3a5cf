"""Boards in several parts: deep pages, remembered details, and a server that lost the library."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from flask import Flask

from app.boards.layouts import hashed, parts
from app.boards.layouts.board import open_board
from app.boards.reads import MAX_ROWS
from app.boards.rules import Budget, Held, OutOfRangeError, Ties
from app.boards.spec import HASH, RANGE, BoardSpec
from app.core.redis.clients import boards_redis
from tests.boards.plain import PlainBoard
from tests.statements import redis_round_trips


def spec(ties: Ties, shards: int) -> BoardSpec:
    return BoardSpec(
        "game",
        "mode",
        "all-time",
        ties=ties,
        budget=Budget(tied=ties is Ties.EARLIEST),
        shards=shards,
    )


@pytest.mark.parametrize("apart", [False, True], ids=["on one server", "on several"])
@pytest.mark.parametrize("ties", list(Ties))
def test_a_deep_page_over_shards_is_exact_whatever_ties_lie_there(
    app: Flask, monkeypatch: pytest.MonkeyPatch, ties: Ties, *, apart: bool
) -> None:
    monkeypatch.setattr(parts, "MERGED", 20)  # few members stand for many
    for module in (parts, hashed):
        monkeypatch.setattr(module, "is_cluster", lambda client: apart)
    chance = random.Random(7)  # noqa: S311  (a fixed draw, not a secret)
    # Shards of very different sizes of ties: half the members share one score.
    records = {
        f"m{n}": Held(chance.choice([0, chance.randrange(-50, 50)]), n % 90 * 1_000_000)
        for n in range(700)
    }
    board = open_board(spec(ties, 5))
    assert board.load(records.items()) == 700
    plain = PlainBoard(board.spec, records)
    for offset in (0, 15, 349, 500, 690, 699, 700):
        assert board.page(offset, 12) == plain.page(offset, 12)
    assert board.band(-10, 10, 333, 7) == plain.band(-10, 10, 333, 7)
    assert board.around("m350", 9) == plain.around("m350", 9)
    assert board.standings(["m350"]) == plain.standings(["m350"])
    assert board.rank_of_score(7) == plain.rank_of_score(7)


def test_a_page_with_my_rank_and_neighbours_is_one_round_trip(app: Flask) -> None:
    board = open_board(spec(Ties.SHARED, 1))
    board.load((f"m{n:03}", Held(n // 2, 0)) for n in range(100))
    board.view(0, 1)  # the library is there
    with redis_round_trips() as trips:
        view = board.view(25, 25, "m090", 4)
    assert len(trips) == 1
    assert view.me is not None
    assert (view.me.rank, view.me.score, len(view.rows), len(view.around)) == (9, 45, 25, 9)


def _measures(trips: list[list[bytes]]) -> int:
    """Trips of the process's own measures, which go out every few seconds."""
    return sum(b"pressbox:measures" in b"".join(trip) for trip in trips)


@pytest.mark.parametrize("layout", [HASH, RANGE])
@pytest.mark.parametrize("ties", list(Ties))
def test_a_page_over_several_parts_is_one_round_trip_and_exact(
    app: Flask, ties: Ties, layout: str
) -> None:
    chance = random.Random(3)  # noqa: S311  (a fixed draw, not a secret)
    records = {
        f"m{n}": Held(
            chance.choice([0, chance.randrange(-9, 9), chance.randrange(9_000)]), n % 90 * 1_000_000
        )
        for n in range(900)
    }
    board = open_board(replace(spec(ties, 6), layout=layout))
    board.load(records.items())
    plain = PlainBoard(board.spec, records)
    board.view(0, 1)  # the library is there
    for offset in (0, 3, 40, 449, 700, 893, 899, 900, 2_000):
        member = f"m{chance.randrange(900)}"
        with redis_round_trips() as trips:
            view = board.view(offset, 7, member, 4)
        assert (
            len([trip for trip in trips if b"whole_view" in b"".join(trip)])
            == len(trips) - _measures(trips)
            == 1
        )
        assert view.count == 900
        assert view.rows == plain.page(offset, 7)
        assert view.around == plain.around(member, 4)
        assert {member: view.me} == plain.standings([member])
    assert board.view(5, 3, "nobody").me is None


def test_dense_ranks_over_shards_follow_every_change(app: Flask) -> None:
    board = open_board(spec(Ties.DENSE, 3))
    board.load((f"m{n}", Held(n // 4, 0)) for n in range(40))
    board.put({"m39": None, "m38": None, "m37": Held(0, 0), "m36": Held(9, 0), "new": Held(100, 0)})
    plain = PlainBoard(board.spec, {f"m{n}": Held(n // 4, 0) for n in range(38)})
    plain.held |= {"m37": Held(0, 0), "m36": Held(9, 0), "new": Held(100, 0)}
    members = ["m36", "m37", "m0", "new", "m20"]
    assert board.standings(members) == plain.standings(members)
    assert board.page(0, 40) == plain.page(0, 40)
    assert board.rank_of_score(9) == 2
    assert not board.wholeness().lost


def redis_ms() -> int:
    """Milliseconds since 1970 by Redis' own clock."""
    seconds, microseconds = boards_redis().time()
    return int(seconds) * 1000 + int(microseconds) // 1000


def test_details_are_remembered_for_a_while_and_come_with_the_page(app: Flask) -> None:
    for shards in (1, 3):
        board = open_board(spec(Ties.SHARED, shards))
        board.load([("a", Held(3, 0)), ("b", Held(2, 0)), ("c", Held(1, 0))])
        before = redis_ms()
        board.remember({"a": "Ann", "c": "Cæsar"}, seconds=60)
        assert board.view(0, 2, "c", 1).details == {"a": "Ann", "c": "Cæsar"}
        assert board.details(["a", "b"]) == {"a": "Ann"}
        after = redis_ms()
        ends = [boards_redis().pexpiretime(key) for key in boards_redis().keys("*:details")]
        assert ends
        assert all(before <= end - 60_000 <= after for end in ends)
        board.drop()
        assert boards_redis().keys() == []


def test_a_server_that_lost_the_library_gets_it_again(app: Flask) -> None:
    board = open_board(spec(Ties.SHARED, 2))
    board.put({"a": Held(1, 0)})
    boards_redis().function_flush()
    assert board.standings(["a"])["a"].rank == 1


def test_a_score_outside_the_exact_range_is_refused_with_the_range(app: Flask) -> None:
    board = open_board(spec(Ties.EARLIEST, 1))
    board.put({"a": Held(2**53 - 1, 0), "b": Held(-(2**53) + 1, 0)})
    assert [row.score for row in board.page(0, 2)] == [2**53 - 1, -(2**53) + 1]
    with pytest.raises(OutOfRangeError, match=r"9007199254740992 is outside ±9007199254740991"):
        board.put({"a": Held(2**53, 0)})
    assert board.standings(["a"])["a"].score == 2**53 - 1


def test_pages_have_bounds(app: Flask) -> None:
    board = open_board(spec(Ties.SHARED, 1))
    with pytest.raises(ValueError, match="limit 1001 be 1 to 1000"):
        board.page(0, MAX_ROWS + 1)
    with pytest.raises(ValueError, match="offset -1"):
        board.view(-1, 10)
