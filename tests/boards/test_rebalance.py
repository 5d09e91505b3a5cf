"""The job that keeps boards of score ranges."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask import Flask

from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.layouts import balance, moving
from app.boards.layouts.ranged import NOWHERE, RangeBoard
from app.boards.layouts.upkeep import Rebalanced, rebalance_boards
from app.boards.rules import Held
from app.boards.windows.rules import parse_window
from app.core.db import db
from app.core.redis.clients import boards_redis
from tests.boards.test_moving import PLAYERS, assert_whole, board, spec
from tests.worlds.boards import NOW, fill
from tests.worlds.score_games import make_score_game, make_score_mode


@pytest.fixture
def board_id(app: Flask, monkeypatch: pytest.MonkeyPatch) -> int:
    """A board of ranges with 200 players, all of them in its first partition."""
    monkeypatch.setattr(balance, "WORTH_IT", 10)
    mode = make_score_mode(
        make_score_game(),
        NewMode("career", "Career", "sum", "dense", -1000, 1000, layout="range", shards=4),
    )
    record = catalogue.board_for(mode, parse_window("all-time", "UTC"))
    records = {player: Held(number, 0, player) for number, player in enumerate(PLAYERS)}
    fill(record, spec(mode, record), records)
    db.session.commit()
    ranged = board(record.id)
    assert isinstance(ranged, RangeBoard)
    ranged.set_split_points([NOWHERE] * 3)
    ranged.load(records.items())
    return record.id


def test_an_uneven_board_is_made_even_once(board_id: int) -> None:
    assert rebalance_boards(NOW) == Rebalanced(150, (), 0)
    ranged = board(board_id)
    assert isinstance(ranged, RangeBoard)
    assert balance.balance(ranged).partitions == [50, 50, 50, 50]
    assert_whole(board_id)
    assert rebalance_boards(NOW) == Rebalanced(0, (), 0)


def test_a_board_whose_parts_disagree_is_built_anew(board_id: int) -> None:
    uneven = board(board_id)
    boards_redis().zrem(uneven.parts[0].ranking, PLAYERS[3], PLAYERS[4])
    assert uneven.count() == 198
    assert rebalance_boards(NOW) == Rebalanced(0, ("bowl:career:all-time",), 0)
    assert board(board_id).spec.generation == 2
    assert_whole(board_id)
    assert rebalance_boards(NOW + timedelta(days=365)).dropped == 1, "the broken one goes"
    assert_whole(board_id)


def test_a_board_that_moves_is_left_alone(board_id: int) -> None:
    moving.begin(board_id, "hash", 2)
    assert rebalance_boards(NOW) == Rebalanced(0, (), 0)
