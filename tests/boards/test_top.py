"""The merged top of a board in many parts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask

from app.boards.layouts.board import open_board
from app.boards.layouts.merged_top import FRESH, Top, forget, top
from app.boards.reads import Row
from app.boards.rules import Held
from app.boards.spec import BoardSpec
from app.core.redis.clients import boards_redis
from tests.statements import redis_round_trips

NOW = datetime(2026, 9, 13, 20, tzinfo=UTC)
SPEC = BoardSpec("game", "mode", "all-time", shards=4)


def test_the_top_is_merged_from_all_parts_and_says_how_old_it_is(app: Flask) -> None:
    board = open_board(SPEC)
    board.load((f"m{n}", Held(n, 0)) for n in range(50))
    assert top(board, 2, NOW) == Top(NOW, [Row(1, "m49", 49), Row(2, "m48", 48)], 50)
    board.put({"new": Held(100, 0)})
    almost = NOW + FRESH - timedelta(milliseconds=1)
    assert top(board, 1, almost) == Top(NOW, [Row(1, "m49", 49)], 50)
    assert top(board, 1, NOW + FRESH) == Top(NOW + FRESH, [Row(1, "new", 100)], 51)
    board.put({"new": None})
    forget(board)
    assert top(board, 1, NOW + FRESH) == Top(NOW + FRESH, [Row(1, "m49", 49)], 50)


def test_while_one_reader_merges_the_others_take_what_is_there_in_one_round_trip(
    app: Flask,
) -> None:
    board = open_board(SPEC)
    board.put({"a": Held(1, 0)})
    first = top(board, 5, NOW)
    boards_redis().set(f"{SPEC.tag('top')}:merging", b"", px=600_000)
    assert top(board, 5, NOW + FRESH) == first
    with redis_round_trips() as trips:
        top(board, 5, NOW)
    assert len(trips) == 1


def test_a_board_in_one_part_is_read_as_it_is(app: Flask) -> None:
    board = open_board(BoardSpec("game", "mode", "all-time"))
    board.put({"a": Held(1, 0)})
    top(board, 5, NOW)
    board.put({"b": Held(2, 0)})
    assert [row.member for row in top(board, 5, NOW).rows] == ["b", "a"]
    assert boards_redis().keys("*top*") == []


def test_an_empty_top_is_not_kept(app: Flask) -> None:
    """A board that Redis lost is whole again as soon as it is rebuilt."""
    board = open_board(SPEC)
    assert top(board, 5, NOW) == Top(NOW, [], 0)
    board.put({"a": Held(1, 0)})
    assert top(board, 5, NOW) == Top(NOW, [Row(1, "a", 1)], 1)


def test_no_more_than_what_is_kept_can_be_asked_for(app: Flask) -> None:
    with pytest.raises(ValueError, match="1 to 200"):
        top(open_board(SPEC), 201, NOW)
