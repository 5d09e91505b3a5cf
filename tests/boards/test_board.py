from __future__ import annotations

from flask import Flask

from app.boards.board import Board, held_versions
from app.core.redis import boards_redis

BOARD = Board("fantasy", "league-1", "gameweek-1")


def test_a_published_board_reads_back_best_first_with_negative_scores(app: Flask) -> None:
    assert BOARD.read() is None
    assert BOARD.publish(1, {7: 12_500, 8: -2_000, 9: 40_000})
    version, scores = BOARD.read() or (0, {})
    assert version == 1
    assert list(scores.items()) == [(9, 40_000), (7, 12_500), (8, -2_000)]


def test_an_older_table_never_replaces_a_newer_one(app: Flask) -> None:
    BOARD.publish(5, {7: 1})
    assert not BOARD.publish(4, {7: 99})
    assert BOARD.read() == (5, {7: 1})


def test_publishing_replaces_the_whole_table(app: Flask) -> None:
    BOARD.publish(1, {7: 1, 8: 2})
    BOARD.publish(2, {8: 3})
    assert BOARD.read() == (2, {8: 3})


def test_keys_of_a_board_share_a_cluster_slot(app: Flask) -> None:
    BOARD.publish(1, {7: 1})
    tags = {key[key.index(b"{") : key.index(b"}")] for key in boards_redis().keys("lb:*")}
    assert len(tags) == 1


def test_held_versions_come_in_the_order_asked_for(app: Flask) -> None:
    other = Board("fantasy", "league-2", "gameweek-1")
    other.publish(3, {1: 1})
    assert held_versions([BOARD, other]) == [None, 3]
