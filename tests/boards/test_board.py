"""Boards that a tenant publishes whole, with a version."""

from __future__ import annotations

import pytest
from flask import Flask

from app.boards.layouts.board import amend_all, held_versions, open_board
from app.boards.reads import Row
from app.boards.rules import Ties
from app.boards.spec import BoardSpec
from app.core.redis.clients import boards_redis

BOARD = open_board(BoardSpec("fantasy", "league-1", "gameweek-1", ties=Ties.DENSE))


def test_a_published_board_reads_back_best_first_with_negative_scores(app: Flask) -> None:
    assert BOARD.published() is None
    assert BOARD.publish(1, {"7": 12_500, "8": -2_000, "9": 40_000})
    version, scores = BOARD.published() or (0, {})
    assert version == 1
    assert list(scores.items()) == [("9", 40_000), ("7", 12_500), ("8", -2_000)]


def test_an_older_table_never_replaces_a_newer_one(app: Flask) -> None:
    BOARD.publish(5, {"7": 1})
    assert not BOARD.publish(4, {"7": 99})
    assert BOARD.published() == (5, {"7": 1})


def test_publishing_replaces_the_whole_table_its_ranks_too(app: Flask) -> None:
    BOARD.publish(1, {"7": 1, "8": 2, "9": 2})
    BOARD.publish(2, {"8": 3, "9": 3, "7": 1})
    assert BOARD.page(0, 10) == [Row(1, "8", 3), Row(1, "9", 3), Row(2, "7", 1)]
    BOARD.publish(3, {"8": 3})
    assert BOARD.published() == (3, {"8": 3})
    assert BOARD.rank_of_score(2) == 2


def test_a_table_that_is_replaced_or_dropped_is_unlinked_and_never_deleted_at_once(
    app: Flask,
) -> None:
    """Seed 003, section 4.12: no mass delete in one DEL on huge keys."""

    def calls(command: str) -> int:
        stats = boards_redis().info("commandstats").get(f"cmdstat_{command}", {"calls": 0})
        return int(stats["calls"])

    BOARD.publish(1, {"7": 1, "8": 2})
    deleted, unlinked = calls("del"), calls("unlink")
    BOARD.publish(2, {"8": 3})
    assert calls("unlink") == unlinked + 1
    BOARD.drop()
    assert calls("unlink") > unlinked + 1
    assert calls("del") == deleted
    assert boards_redis().keys("lb:*") == []


def test_keys_of_a_part_share_a_cluster_slot(app: Flask) -> None:
    BOARD.publish(1, {"7": 1})
    tags = {key[key.index(b"{") : key.index(b"}")] for key in boards_redis().keys("lb:*")}
    assert len(tags) == 1


def test_held_versions_come_in_the_order_asked_for(app: Flask) -> None:
    other = open_board(BoardSpec("fantasy", "league-2", "gameweek-1"))
    other.publish(3, {"1": 1})
    assert held_versions([BOARD, other]) == [None, 3]


def test_a_layout_that_there_is_not_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="unknown layout 'pie'"):
        open_board(BoardSpec("fantasy", "league-1", "gameweek-1", layout="pie"))


def test_a_published_table_takes_the_next_version_by_what_changed_alone(app: Flask) -> None:
    BOARD.publish(1, {"7": 1, "8": 2, "9": 2})
    assert amend_all([(BOARD, 2, {"7": 5, "8": 1})]) == [True]
    assert BOARD.published() == (2, {"7": 5, "9": 2, "8": 1})
    assert [row.rank for row in BOARD.page(0, 3)] == [1, 2, 3]


def test_a_table_that_lacks_the_version_before_is_left_as_it_is(app: Flask) -> None:
    assert amend_all([(BOARD, 1, {"7": 5})]) == [False], (
        "nothing is held: it must be published whole"
    )
    BOARD.publish(3, {"7": 1})
    assert amend_all([(BOARD, 5, {"7": 5}), (BOARD, 3, {"7": 6})]) == [False, False]
    assert BOARD.published() == (3, {"7": 1})
