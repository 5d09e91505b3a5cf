"""Boards that verify themselves.

A lost part is never answered from, is seen at once, and mends itself.
"""

from __future__ import annotations

from itertools import product
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import update

from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.layouts.board import Board, apply_all, open_board
from app.boards.layouts.moving import move
from app.boards.layouts.ranged import RangeBoard
from app.boards.models import BoardRecord, BoardScore, Mode, ScoreGame
from app.boards.rules import Attempt, Held, Ties
from app.boards.services import POSTGRESQL, REDIS, read
from app.boards.verification import services as verification
from app.boards.verification.services import EVERY, Verifier, mend
from app.boards.windows.rules import parse_window
from app.core.clock import to_us
from app.core.db import db
from app.core.redis.clients import boards_redis
from tests.worlds.boards import NOW, fill
from tests.worlds.score_games import make_score_game, make_score_mode

WINDOW = "weekly:2026-W37"
PLAYERS = [str(UUID(int=n * 0x1234567890ABCDEF123 % 2**128)) for n in range(1, 31)]
HELD = {
    player: Held(n // 3, to_us(NOW), f"00000000-0000-0000-0000-{n:012}")
    for n, player in enumerate(PLAYERS)
}


@pytest.fixture
def game(app: Flask) -> ScoreGame:
    return make_score_game()


def make_board(game: ScoreGame, **changes: object) -> tuple[Mode, BoardRecord]:
    """A board that PostgreSQL and Redis hold alike."""
    values = {"aggregation": "highest", "ties": "shared", "layout": "hash", "shards": 5} | changes
    slug = "m-" + "-".join(map(str, values.values()))
    mode = make_score_mode(
        game, NewMode(slug, "M", min_score=-99, max_score=99, windows=("weekly",), **values)
    )  # type: ignore[arg-type]
    record = catalogue.board_for(mode, parse_window(WINDOW, "UTC"))
    spec = catalogue.spec_of(game, mode, record)
    fill(record, spec, HELD)
    db.session.commit()
    open_board(spec).load(HELD.items())
    return mode, record


def held(game: ScoreGame, mode: Mode, record: BoardRecord) -> Board:
    db.session.refresh(record)
    return open_board(catalogue.spec_of(game, mode, record))


def verify(verifier: Verifier | None = None) -> int:
    """Steps until no board is due; how many."""
    steps, verifier = 0, verifier or Verifier()
    while verifier.step(NOW) is not None:
        steps += 1
    return steps


@pytest.mark.parametrize(("layout", "ties"), list(product(("hash", "range"), Ties)))
def test_no_answer_misses_a_player_whichever_key_is_lost(
    game: ScoreGame, layout: str, ties: str
) -> None:
    mode, record = make_board(game, layout=layout, ties=ties)
    board = held(game, mode, record)
    whole = [
        (row.rank, row.member, row.score) for row in read(game, mode, WINDOW).board.page(0, 100)
    ]
    keys = sorted(
        key
        for part in board._all_parts
        for key in part.written
        if boards_redis().exists(key) and not key.endswith(":seen")
    )
    assert len(keys) >= 10
    for key in keys:
        dumped = boards_redis().dump(key)
        boards_redis().delete(key)
        reading = read(game, mode, WINDOW)
        for answer in (
            [(row.rank, row.member, row.score) for row in reading.board.page(0, 100)],
            [
                (row.rank, row.member, row.score)
                for row in reading.board.view(0, 100, PLAYERS[0]).rows
            ],
        ):
            assert answer == whole, key
        assert reading.board.count() == len(HELD), key
        assert reading.board.standings(PLAYERS).keys() == set(PLAYERS), key
        # without it the number of players is counted, and that agrees
        if not key.endswith(":size"):
            assert reading.source == POSTGRESQL, key
        boards_redis().restore(key, 0, dumped)  # type: ignore[arg-type]
    assert read(game, mode, WINDOW).board.count() == len(HELD)


@pytest.mark.parametrize("layout", ["hash", "range"])
def test_a_part_that_lost_everything_and_was_written_to_again_is_not_whole(
    game: ScoreGame, layout: str
) -> None:
    mode, record = make_board(game, layout=layout)
    board = held(game, mode, record)
    part = board.part_of(PLAYERS[0])
    boards_redis().delete(*part.all)
    apply_all([(board, PLAYERS[0], Attempt(to_us(NOW), str(UUID(int=77)), 99))])
    reading = read(game, mode, WINDOW)
    assert reading.board.standings(PLAYERS).keys() == set(PLAYERS)
    assert reading.source == POSTGRESQL


@pytest.mark.parametrize("layout", ["hash", "range"])
def test_a_lost_shard_is_seen_at_once_and_mended(game: ScoreGame, layout: str) -> None:
    mode, record = make_board(game, layout=layout)
    board = held(game, mode, record)
    boards_redis().delete(*board.homes[2].all)
    verifier = Verifier()
    assert verifier.quick(NOW) == 1
    db.session.refresh(record)
    assert (record.stale_since, record.faults) == (NOW, 1)
    reading = read(game, mode, WINDOW)
    assert (reading.board.count(), reading.source) == (len(HELD), POSTGRESQL)
    assert mend(NOW) == 1
    again = read(game, mode, WINDOW)
    assert (again.board.count(), again.source) == (len(HELD), REDIS)
    assert verifier.quick(NOW) == 0
    db.session.refresh(record)
    assert (record.stale_since, record.rebuilt_at, record.verified_at) == (None, NOW, None)
    verify()
    db.session.refresh(record)
    assert record.verified_at == NOW


def test_lost_split_points_are_seen(game: ScoreGame) -> None:
    mode, record = make_board(game, layout="range")
    board = held(game, mode, record)
    assert isinstance(board, RangeBoard)
    boards_redis().delete(board._meta)
    assert Verifier().quick(NOW) == 1


def test_a_board_whose_server_forgot_everything_is_seen(game: ScoreGame) -> None:
    mode, record = make_board(game)
    boards_redis().flushall()
    assert Verifier().quick(NOW) == 1
    assert mend(NOW) == 1
    assert held(game, mode, record).count() == len(HELD)


@pytest.mark.parametrize("layout", ["hash", "range"])
def test_a_score_that_differs_is_put_right_without_a_rebuild(game: ScoreGame, layout: str) -> None:
    mode, record = make_board(game, layout=layout)
    board = held(game, mode, record)
    board.put({PLAYERS[3]: Held(-50, to_us(NOW), HELD[PLAYERS[3]].event)})
    verify()
    db.session.refresh(record)
    assert (record.faults, record.stale_since, record.generation, record.verified_at) == (
        1,
        None,
        1,
        NOW,
    )
    assert record.fault == "1 players had another score in Redis than in PostgreSQL"
    assert (
        held(game, mode, record).standings([PLAYERS[3]])[PLAYERS[3]].score == HELD[PLAYERS[3]].score
    )


def test_a_player_who_is_in_redis_alone_leads_to_a_rebuild(game: ScoreGame) -> None:
    mode, record = make_board(game)
    stranger = str(UUID(int=99))
    held(game, mode, record).put({stranger: Held(50, to_us(NOW))})
    verify()
    db.session.refresh(record)
    assert record.stale_since == NOW
    mend(NOW)
    assert stranger not in held(game, mode, record).standings([stranger])


def test_many_wrong_scores_lead_to_a_rebuild(
    game: ScoreGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, record = make_board(game)
    monkeypatch.setattr(verification, "FEW", 5)
    db.session.execute(
        update(BoardScore)
        .where(BoardScore.board_id == record.id)
        .values(score=BoardScore.score + 1)
    )
    db.session.commit()
    Verifier().step(NOW)
    db.session.refresh(record)
    assert record.stale_since == NOW


def test_a_large_board_is_compared_in_steps_and_not_again_before_its_time(
    game: ScoreGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_board(game)
    monkeypatch.setattr(verification, "CHUNK", 7)
    verifier = Verifier()
    assert verify(verifier) == 5, "30 players in steps of 7"
    assert verifier.step(NOW) is None
    assert verifier.step(NOW + EVERY) == 7


def test_a_new_board_counts_its_players_after_the_first_look(game: ScoreGame) -> None:
    mode = make_score_mode(
        game, NewMode("new", "N", "highest", "shared", -99, 99, windows=("weekly",), shards=3)
    )
    record = catalogue.board_for(mode, parse_window(WINDOW, "UTC"))
    spec = catalogue.spec_of(game, mode, record)
    fill(record, spec, HELD)
    db.session.commit()
    open_board(spec).put(HELD)
    assert open_board(spec).wholeness().uncounted
    assert Verifier().quick(NOW) == 0
    assert not open_board(spec).wholeness().uncounted
    boards_redis().delete(*open_board(spec).homes[0].all)
    assert Verifier().quick(NOW) == 1


def test_a_moved_board_counts_its_players(game: ScoreGame) -> None:
    mode, record = make_board(game)
    move(record.id, "range", 3)
    state = held(game, mode, record).wholeness()
    assert (state.lost, state.uncounted, sum(state.members)) == (False, False, 2 * len(HELD))


def test_a_board_made_before_players_were_counted_is_counted_in_place(game: ScoreGame) -> None:
    mode, record = make_board(game)
    board = held(game, mode, record)
    boards_redis().delete(*(part.size for part in board.homes))
    assert Verifier().quick(NOW) == 0
    db.session.refresh(record)
    assert (record.generation, held(game, mode, record).wholeness().uncounted) == (1, False)


def test_players_are_counted_as_they_come_and_go(game: ScoreGame) -> None:
    for ties, aggregation in (("dense", "latest"), ("shared", "sum"), ("earliest", "latest")):
        mode, record = make_board(game, ties=ties, aggregation=aggregation)
        board = held(game, mode, record)
        board.put({PLAYERS[0]: None, PLAYERS[1]: None})
        apply_all([(board, PLAYERS[0], Attempt(to_us(NOW), str(UUID(int=5)), 7))])
        board.put({PLAYERS[2]: Held(1, to_us(NOW), str(UUID(int=8)))})
        state = board.wholeness()
        assert (state.lost, state.uncounted, sum(state.members)) == (False, False, len(HELD) - 1)
