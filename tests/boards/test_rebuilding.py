"""A board that Redis lost is rebuilt equal, whatever its layout and ties (PRODUCT E7)."""

from __future__ import annotations

from itertools import product

import pytest
from click.testing import CliRunner
from flask import Flask

from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.queries import BoardNotFoundError
from app.boards.catalogue.rules import NewMode
from app.boards.layouts import moving
from app.boards.layouts.board import Board, apply_all, open_board
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.boards.rules import SECOND, Attempt, Held, Ties
from app.boards.verification import rebuild
from app.boards.windows.rules import parse_window
from app.cli import stream as commands
from app.core.clock import to_us
from app.core.db import db
from app.core.redis.clients import boards_redis
from tests.boards.plain import PlainBoard
from tests.commands import use_here
from tests.worlds.boards import NOW, PLAYERS, fill, redis_at
from tests.worlds.score_games import make_score_game, make_score_mode

HELD = {
    player: Held(n // 3 - 1, to_us(NOW) + n % 2 * SECOND, f"00000000-0000-0000-0000-{n:012}")
    for n, player in enumerate(PLAYERS)
}


@pytest.fixture
def game(app: Flask) -> ScoreGame:
    return make_score_game()


def make_board(game: ScoreGame, **changes: str) -> tuple[Mode, BoardRecord]:
    values = {"aggregation": "highest", "ties": "earliest", "layout": "hash"} | changes
    mode = make_score_mode(
        game,
        NewMode(
            "m" + "-".join(values.values()),
            "M",
            min_score=-9,
            max_score=9,
            windows=("weekly",),
            shards=3,
            **values,
        ),
    )
    record = catalogue.board_for(mode, parse_window("weekly:2026-W37", "UTC"))
    fill(record, catalogue.spec_of(game, mode, record), HELD)
    db.session.commit()
    return mode, record


def held(game: ScoreGame, mode: Mode, record: BoardRecord) -> Board:
    db.session.refresh(record)
    return open_board(catalogue.spec_of(game, mode, record))


@pytest.mark.parametrize(("ties", "layout"), list(product(Ties, ("hash", "range"))))
def test_what_was_lost_comes_back_with_its_ties(game: ScoreGame, ties: str, layout: str) -> None:
    mode, record = make_board(game, ties=ties, layout=layout)
    boards_redis().flushall()
    rebuilt = rebuild.rebuild(record.id, NOW)
    board = held(game, mode, record)
    plain = PlainBoard(board.spec, HELD)
    assert rebuilt == rebuild.Rebuilt(board.spec.name, 2, len(HELD))
    assert board.page(0, 100) == plain.page(0, 100)
    assert board.standings(PLAYERS) == plain.standings(PLAYERS)
    assert [board.rank_of_score(score) for score in range(-3, 6)] == [
        plain.rank_of_score(s) for s in range(-3, 6)
    ]


def test_under_latest_it_still_knows_how_new_each_score_is(game: ScoreGame) -> None:
    mode, record = make_board(game, aggregation="latest", ties="shared")
    rebuild.rebuild(record.id, NOW)
    board = held(game, mode, record)
    player, holds = next(iter(HELD.items()))
    older, newer = Attempt(holds.at - 1, "f", 5), Attempt(holds.at + 1, "0", 6)
    assert [
        applied_score.outcome
        for applied_score in apply_all([(board, player, older), (board, player, newer)])
    ] == [
        "unchanged",
        "counted",
    ]
    assert board.standings([player])[player].score == 6


def test_the_old_generation_is_read_until_then_and_dropped_later(game: ScoreGame) -> None:
    mode, record = make_board(game)
    before = held(game, mode, record)
    before.load(HELD.items())
    rebuild.rebuild(record.id, NOW)
    assert before.count() == len(HELD)
    moving.drop_retired(NOW + moving.GRACE)
    assert before.count() == 0
    assert held(game, mode, record).count() == len(HELD)


def test_dying_before_the_switch_leaves_the_old_one_and_a_second_run_is_whole(
    game: ScoreGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode, record = make_board(game)
    held(game, mode, record).load(HELD.items())

    def die(players: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rebuild, "CHUNK", 5)
    with pytest.raises(KeyboardInterrupt):
        rebuild.rebuild(record.id, NOW, say=die)
    assert held(game, mode, record).spec.generation == 1
    assert held(game, mode, record).count() == len(HELD)
    open_board(
        catalogue.spec_of(game, mode, BoardRecord(**columns(record) | {"generation": 2}))
    ).put({"left-over": Held(1, to_us(NOW))})
    rebuild.rebuild(record.id, NOW)
    assert held(game, mode, record).page(0, 100) == PlainBoard(
        held(game, mode, record).spec, HELD
    ).page(0, 100)


def columns(record: BoardRecord) -> dict[str, object]:
    return {column.name: getattr(record, column.name) for column in BoardRecord.__table__.columns}


def test_a_move_under_way_is_thrown_away_and_may_begin_again(game: ScoreGame) -> None:
    mode, record = make_board(game)
    rebuild.rebuild(record.id, NOW)
    moving.begin(record.id, "range", 2)
    moving.copy_chunk(record.id)
    rebuild.rebuild(record.id, NOW)
    db.session.refresh(record)
    assert (record.next_generation, record.generation) == (None, 4)
    moving.move(record.id, "range", 2)
    board = held(game, mode, record)
    assert board.spec.layout == "range"
    assert board.page(0, 100) == PlainBoard(board.spec, HELD).page(0, 100)


def test_only_a_stale_board_is_rebuilt_where_that_is_asked_and_never_an_archived_one(
    game: ScoreGame,
) -> None:
    _, record = make_board(game)
    assert rebuild.rebuild(record.id, NOW, only_stale=True) is None
    record.stale_since = NOW
    db.session.commit()
    assert rebuild.rebuild(record.id, NOW, only_stale=True) is not None
    db.session.refresh(record)
    assert record.stale_since is None
    record.archived_at = NOW
    db.session.commit()
    assert rebuild.rebuild(record.id, NOW) is None
    assert rebuild.living() == []


def test_boards_are_found_by_their_name(game: ScoreGame) -> None:
    mode, record = make_board(game)
    name = f"bowl:{mode.slug}:weekly:2026-W37"
    assert rebuild.find(name) == record.id
    assert rebuild.living() == [(record.id, name)]
    for wrong in ("bowl", f"bowl:{mode.slug}:weekly:2026-W38", "nobody:m:all-time"):
        with pytest.raises(BoardNotFoundError, match="game:mode:window"):
            rebuild.find(wrong)


def test_the_command_rebuilds_one_board_or_all(
    app: Flask, game: ScoreGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, app)
    mode, record = make_board(game)
    other, another = make_board(game, layout="range")
    run = CliRunner()
    of_one = run.invoke(
        commands.rebuild, ["boards", "--board", f"bowl:{mode.slug}:weekly:2026-W37"]
    )
    assert of_one.exit_code == 0, of_one.output
    assert of_one.output.endswith(
        f"1 board rebuilt with {len(HELD)} places.\n1 board, {len(HELD)} rows: equal to "
        "PostgreSQL\n"
    )
    assert held(game, mode, record).count() == len(HELD)
    assert held(game, other, another).count() == 0
    every = run.invoke(commands.rebuild, ["boards", "--all"])
    assert f"2 boards rebuilt with {2 * len(HELD)} places" in every.output
    assert f"2 boards, {2 * len(HELD)} rows: equal to PostgreSQL" in every.output
    assert "0 league tables, 0 rows: equal to PostgreSQL" in every.output
    assert held(game, other, another).count() == len(HELD)
    assert run.invoke(commands.rebuild, ["boards", "--all", "--board", "x"]).exit_code == 2
    with redis_at(app, "redis://127.0.0.1:1/0"):
        away = run.invoke(
            commands.rebuild, ["boards", "--board", f"bowl:{mode.slug}:weekly:2026-W37"]
        )
    assert (away.exit_code, "correct BOARDS_REDIS_URL" in away.output) == (1, True)
    assert held(game, mode, record).count() == len(HELD)
