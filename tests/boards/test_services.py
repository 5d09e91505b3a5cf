"""The one door for reads: whoever answers, the answer is the same."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
from flask import Flask

from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.layouts.board import open_board
from app.boards.models import Mode, ScoreGame
from app.boards.rules import Held
from app.boards.services import POSTGRESQL, REDIS, Reading, read
from app.boards.windows.rules import InvalidWindowError, parse_window
from app.core.db import db
from app.core.redis.clients import boards_redis
from tests.worlds.boards import PLAYERS, fill, redis_at
from tests.worlds.score_games import make_score_game, make_score_mode

WINDOW = "monthly:2026-09"
HELD = {player: Held(n // 2, n) for n, player in enumerate(PLAYERS)}


@pytest.fixture
def mode(app: Flask) -> tuple[ScoreGame, Mode]:
    game = make_score_game()
    return game, make_score_mode(
        game, NewMode("m", "M", "highest", "shared", -100, 100, windows=("monthly",))
    )


@pytest.fixture
def board(mode: tuple[ScoreGame, Mode]) -> tuple[ScoreGame, Mode]:
    """A board that PostgreSQL and Redis hold alike."""
    record = catalogue.board_for(mode[1], parse_window(WINDOW, "UTC"))
    spec = catalogue.spec_of(*mode, record)
    fill(record, spec, HELD)
    db.session.commit()
    open_board(spec).load(HELD.items())
    return mode


@pytest.fixture
def redis_away(app: Flask) -> Iterator[None]:
    """The boards' server does not answer: nobody listens on port 1."""
    with redis_at(app, "redis://127.0.0.1:1/0"):
        yield


def answers(reading: Reading) -> list[object]:
    board = reading.board
    return [
        board.count(),
        board.page(3, 4),
        board.standings(PLAYERS[2:5]),
        board.around(PLAYERS[6], 2),
        board.band(1, 3, 1, 3),
        board.rank_of_score(2),
        board.view(0, 5, PLAYERS[0], 1),
    ]


def test_redis_answers_and_is_named(board: tuple[ScoreGame, Mode]) -> None:
    reading = read(*board, WINDOW)
    assert reading.board.view(0, 25, PLAYERS[0]).count == len(HELD)
    assert reading.source == REDIS
    assert reading.board.standings(["00000000-0000-0000-0000-000000000000"]) == {}
    assert reading.source == REDIS, "somebody without a score is no reason to doubt Redis"


def test_with_redis_away_postgresql_gives_the_same_answers(
    board: tuple[ScoreGame, Mode], request: pytest.FixtureRequest
) -> None:
    before = answers(read(*board, WINDOW))
    request.getfixturevalue("redis_away")
    reading = read(*board, WINDOW)
    assert answers(reading) == before
    assert reading.source == POSTGRESQL


@pytest.mark.parametrize("number", range(7))
def test_a_board_that_redis_lost_is_answered_by_postgresql(
    board: tuple[ScoreGame, Mode], number: int
) -> None:
    before = answers(read(*board, WINDOW))
    boards_redis().flushall()
    reading = read(*board, WINDOW)
    reads = [
        lambda b: b.count(),
        lambda b: b.page(3, 4),
        lambda b: b.standings(PLAYERS[2:5]),
        lambda b: b.around(PLAYERS[6], 2),
        lambda b: b.band(1, 3, 1, 3),
        lambda b: b.rank_of_score(2),
        lambda b: b.view(0, 5, PLAYERS[0], 1),
    ]
    assert reads[number](reading.board) == before[number]
    assert reading.source == POSTGRESQL


@pytest.fixture
def parted(app: Flask) -> tuple[ScoreGame, Mode]:
    """A board in four parts that PostgreSQL and Redis hold alike."""
    game = make_score_game()
    mode = make_score_mode(
        game, NewMode("p", "P", "highest", "shared", -100, 100, windows=("monthly",), shards=4)
    )
    record = catalogue.board_for(mode, parse_window(WINDOW, "UTC"))
    spec = catalogue.spec_of(game, mode, record)
    fill(record, spec, HELD)
    db.session.commit()
    open_board(spec).load(HELD.items())
    return game, mode


def test_the_top_of_a_board_in_parts_is_as_old_as_it_says(
    parted: tuple[ScoreGame, Mode], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.boards.layouts.merged_top.FRESH", timedelta(hours=1))
    first = read(*parted, WINDOW)
    first.remember({PLAYERS[-1]: "Nova"}, 60)
    first_top = first.top(3)
    assert (first_top.count, first_top.rows) == (len(HELD), first.board.page(0, 3))
    assert (first_top.as_of, first_top.details, first.source) == (
        first.as_of,
        {PLAYERS[-1]: "Nova"},
        REDIS,
    )
    second = read(*parted, WINDOW)
    assert second.spec is not None
    open_board(second.spec).put({PLAYERS[0]: Held(99, 0)})
    again = second.top(3)
    assert (again.rows, again.as_of) == (first_top.rows, first_top.as_of)
    assert second.board.page(0, 1)[0].member == PLAYERS[0], "every other read is live"


def test_the_top_of_a_board_in_one_part_is_live(board: tuple[ScoreGame, Mode]) -> None:
    reading = read(*board, WINDOW)
    assert reading.top(3) == reading.board.view(0, 3)


@pytest.mark.parametrize("lost", [True, False])
def test_without_redis_the_top_comes_from_postgresql(
    parted: tuple[ScoreGame, Mode], lost: bool, request: pytest.FixtureRequest
) -> None:
    before = read(*parted, WINDOW).top(3)
    if lost:
        boards_redis().flushall()
    else:
        request.getfixturevalue("redis_away")
    reading = read(*parted, WINDOW)
    now = reading.top(3)
    assert (now.count, now.rows, now.as_of, reading.source) == (
        before.count,
        before.rows,
        None,
        POSTGRESQL,
    )


def test_a_window_without_scores_is_empty_and_one_that_the_mode_has_not_is_refused(
    mode: tuple[ScoreGame, Mode],
) -> None:
    reading = read(*mode, "monthly:2026-10")
    assert reading.record is None
    assert reading.board.view(0, 25, PLAYERS[0]).count == 0
    assert reading.board.rank_of_score(5) == 1
    with pytest.raises(InvalidWindowError, match="M has no daily boards, only monthly"):
        read(*mode, "daily:2026-09-13")


def test_a_wrong_command_is_no_reason_to_fall_back(board: tuple[ScoreGame, Mode]) -> None:
    (key,) = boards_redis().scan_iter("lb:*", _type="zset")
    boards_redis().delete(key)
    boards_redis().set(key, "not a sorted set")
    with pytest.raises(redis.ResponseError):
        read(*board, WINDOW).board.page(0, 5)
