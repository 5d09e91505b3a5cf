"""A board that moves.

Scores go on, nothing is lost or counted twice, and a kill at any step does no harm.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from threading import Event, Thread
from uuid import UUID

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import delete, insert, select

from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.queries import BoardNotFoundError
from app.boards.catalogue.rules import NewMode
from app.boards.layouts import moving
from app.boards.layouts.board import Board, apply_all, forget_dedup_keys, open_board
from app.boards.layouts.moving import BoardMoveError, drop_retired, give_up, move
from app.boards.layouts.ranged import RangeBoard
from app.boards.models import BoardCount, BoardRecord, BoardScore, Mode
from app.boards.rules import Attempt, Held, Ties, fold
from app.boards.windows.rules import parse_window
from app.cli import boards as commands
from app.core.clock import to_us
from app.core.db import db
from app.core.redis.clients import boards_redis
from tests.boards.plain import PlainBoard
from tests.boards.test_ranged import assert_lies_as_cut
from tests.commands import use_here
from tests.waiting import join, wait_for
from tests.worlds.boards import NOW, fill
from tests.worlds.score_games import make_score_game, make_score_mode

PLAYERS = [str(UUID(int=n * 0x1234567890ABCDEF123 % 2**128)) for n in range(1, 201)]


@pytest.fixture
def mode(app: Flask) -> Mode:
    new = NewMode("career", "Career", "sum", "shared", -1_000_000, 1_000_000, shards=2)
    return make_score_mode(make_score_game(), new)


@pytest.fixture
def record(mode: Mode) -> BoardRecord:
    """An all-time board with 150 players, in PostgreSQL and in Redis."""
    record = catalogue.board_for(mode, parse_window("all-time", "UTC"))
    records = {
        player: Held(number % 40, 0, str(UUID(int=1)))
        for number, player in enumerate(PLAYERS[:150])
    }
    fill(record, spec(mode, record), records)
    db.session.commit()
    board(record.id).load(records.items())
    return record


def spec(mode: Mode, record: BoardRecord) -> catalogue.BoardSpec:
    game = catalogue.find_game("bowl")
    assert game is not None
    return catalogue.spec_of(game, mode, record)


def board(board_id: int) -> Board:
    """As a reader or a writer finds it now."""
    record = db.session.get(BoardRecord, board_id, populate_existing=True)
    assert record is not None
    mode = db.session.get(Mode, record.mode_id)
    assert mode is not None
    return open_board(spec(mode, record))


def stored(board_id: int) -> dict[str, Held]:
    """What PostgreSQL holds."""
    rows = db.session.scalars(select(BoardScore).where(BoardScore.board_id == board_id))
    return {str(row.player_id): Held(row.score, row.at, str(row.event_id)) for row in rows}


def write(board_id: int, attempts: Mapping[str, Attempt]) -> None:
    """As the consumer does.

    Under the mode's shared lock in Redis, then in PostgreSQL, then the marks go.
    """
    mode_id = db.session.scalar(select(BoardRecord.mode_id).where(BoardRecord.id == board_id))
    assert mode_id is not None
    catalogue.lock_modes([mode_id], exclusive=False)
    there, before = board(board_id), stored(board_id)
    applied = apply_all([(there, player, attempt) for player, attempt in attempts.items()])
    records = dict(before)
    for player, attempt in attempts.items():
        records[player] = Held(
            before[player].score + attempt.score if player in before else attempt.score, attempt.at
        )
    if any(applied_score.outcome == "seen" for applied_score in applied):
        there.put({player: records[player] for player in attempts})
    db.session.execute(delete(BoardScore).where(BoardScore.board_id == board_id))
    db.session.execute(delete(BoardCount).where(BoardCount.board_id == board_id))
    rows = [
        {
            "board_id": board_id,
            "player_id": UUID(player),
            "score": record.score,
            "at": record.at,
            "event_id": UUID(int=1),
        }
        for player, record in records.items()
    ]
    db.session.execute(insert(BoardScore), rows)
    for score, players in Counter(record.score for record in records.values()).items():
        db.session.execute(
            insert(BoardCount).values(board_id=board_id, score=score, players=players)
        )
    db.session.commit()
    forget_dedup_keys([(there, player, attempt.event) for player, attempt in attempts.items()])


def assert_whole(board_id: int, expected: Mapping[str, Held] | None = None) -> None:
    there = board(board_id)
    records = stored(board_id)
    if expected is not None:
        assert {player: record.score for player, record in records.items()} == {
            p: record.score for p, record in expected.items()
        }
    plain = PlainBoard(there.spec, records)
    assert there.count() == plain.count()
    assert there.page(0, 300) == plain.page(0, 300)
    assert there.standings(PLAYERS) == plain.standings(PLAYERS)
    if isinstance(there, RangeBoard):
        assert_lies_as_cut(there)


@pytest.mark.parametrize(("layout", "shards"), [("range", 4), ("hash", 5)])
def test_scores_go_on_while_a_board_moves_and_none_is_lost_or_counted_twice(
    app: Flask, monkeypatch: pytest.MonkeyPatch, record: BoardRecord, layout: str, shards: int
) -> None:
    monkeypatch.setattr(moving, "CHUNK", 10)
    board_id = record.id
    model = {
        player: [Attempt(0, "first", record.score)] for player, record in stored(board_id).items()
    }
    done, written, failed = Event(), Event(), []

    def submit() -> None:
        chance = random.Random(3)  # noqa: S311  (a fixed draw, not a secret)
        with app.app_context():
            try:
                number = 0
                while not done.is_set() or number < 20:
                    picked = chance.sample(PLAYERS, 6)
                    attempts = {
                        player: Attempt(
                            1_000 * number + n, f"e{number}-{n}", chance.randrange(-20, 30)
                        )
                        for n, player in enumerate(picked)
                    }
                    write(board_id, attempts)
                    if board(board_id).spec.next is not None:
                        written.set()
                    db.session.rollback()
                    for player, attempt in attempts.items():
                        model.setdefault(player, []).append(attempt)
                    number += 1
            except BaseException as error:  # noqa: BLE001  (the test reports it and fails)
                failed.append(error)

    db.session.rollback()
    writer = Thread(target=submit)
    writer.start()
    heard: list[moving.Moved] = []

    def hear(moved: moving.Moved) -> None:
        """Between two chunks nobody holds the lock.

        The writer has its turn while the board moves.
        """
        heard.append(moved)
        wait_for(written, f"something is written while the board moves: {failed}", seconds=60)

    try:
        move(board_id, layout, shards, hear)
    finally:
        done.set()
        join(writer)
    assert not failed
    assert heard[-1].copied >= 150
    now = board(board_id).spec
    assert (now.layout, now.shards, now.generation, now.next) == (layout, shards, 2, None)
    assert_whole(board_id, {player: _folded(attempts) for player, attempts in model.items()})


def _folded(attempts: list[Attempt]) -> Held:
    record = fold(catalogue.Aggregation.SUM, attempts)
    assert record is not None
    return record


STEPS = ("begin", "put", "note", "switch")


@pytest.mark.parametrize("way_on", ["taken up again", "thrown away"])
@pytest.mark.parametrize("step", STEPS)
def test_a_move_that_was_killed_is_taken_up_again_or_thrown_away(
    monkeypatch: pytest.MonkeyPatch, record: BoardRecord, step: str, way_on: str
) -> None:
    monkeypatch.setattr(moving, "CHUNK", 40)
    board_id = record.id
    with pytest.raises(KeyboardInterrupt), killed_at(step, monkeypatch):
        move(board_id, "range", 3)
    assert_whole(board_id)
    write(
        board_id,
        {
            PLAYERS[0]: Attempt(5, "e1", 7),
            PLAYERS[199]: Attempt(6, "e2", 7),
            PLAYERS[120]: Attempt(7, "e3", 1),
        },
    )
    assert_whole(board_id)
    if way_on == "taken up again":
        move(board_id, "range", 3)
        assert board(board_id).spec.layout == "range"
    else:
        give_up(board_id, NOW)
        assert board(board_id).spec.layout == "hash"
    assert_whole(board_id)
    write(board_id, {PLAYERS[0]: Attempt(8, "more", 1)})
    assert_whole(board_id)
    drop_retired(NOW + timedelta(days=365))
    generations = {key.split(b":g")[1][:1] for key in boards_redis().keys("lb:*")}
    assert generations == {str(board(board_id).spec.generation).encode()}, (
        "nothing is left of the other one"
    )


@contextmanager
def killed_at(step: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Dies as the step ends but before it is committed, copying at its second chunk."""
    chunks = 0

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    put = RangeBoard.put

    def put_or_die(self: RangeBoard, records: Mapping[str, Held | None]) -> None:
        nonlocal chunks
        chunks += 1
        if step == "note":
            put(self, records)
        if chunks == 2:
            raise KeyboardInterrupt
        put(self, records)

    with monkeypatch.context() as patch:
        match step:
            case "begin":
                patch.setattr(moving, "copy_chunk", dies)
            case "put" | "note":
                patch.setattr(RangeBoard, "put", put_or_die)
            case "switch":
                patch.setattr(moving, "forget", dies)
        yield


def test_a_crash_that_left_an_attempt_in_one_generation_alone_is_seen_and_repaired(
    record: BoardRecord,
) -> None:
    moving.begin(record.id, "range", 3)
    moving.copy_chunk(record.id)
    both = board(record.id)
    assert both.following is not None
    old = open_board(replace(both.spec, next=None))
    apply_all(
        [(old, PLAYERS[1], Attempt(5, "e1", 7)), (both.following, PLAYERS[2], Attempt(5, "e2", 7))]
    )
    again = {PLAYERS[1]: Attempt(5, "e1", 7), PLAYERS[2]: Attempt(5, "e2", 7)}
    assert [
        applied_score.outcome
        for applied_score in apply_all(
            [(both, player, applied_score) for player, applied_score in again.items()]
        )
    ] == ["seen"] * 2
    write(record.id, again)
    assert_whole(record.id)
    move(record.id, "range", 3)
    assert_whole(record.id)


def test_whoever_found_the_old_generation_may_read_it_for_a_while(record: BoardRecord) -> None:
    old_board = board(record.id)
    rows = old_board.page(0, 200)
    moving.begin(record.id, "hash", 3)
    while moving.copy_chunk(record.id) is not None:
        pass
    moving.switch(record.id, NOW)
    assert drop_retired(NOW + moving.GRACE - timedelta(milliseconds=1)) == 0
    assert old_board.page(0, 200) == rows == board(record.id).page(0, 200)
    assert drop_retired(NOW + moving.GRACE) == 1
    assert old_board.count() == 0
    assert drop_retired(NOW + moving.GRACE) == 0
    assert board(record.id).page(0, 200) == rows


def test_a_move_that_lost_players_in_redis_does_not_switch_and_begins_anew(
    record: BoardRecord,
) -> None:
    moving.begin(record.id, "range", 3)
    while moving.copy_chunk(record.id) is not None:
        pass
    following = board(record.id).following
    assert following is not None
    following.put({PLAYERS[3]: None})
    with pytest.raises(BoardMoveError, match="149 of 150 players"):
        moving.switch(record.id, NOW)
    assert_whole(record.id)
    move(record.id, "range", 3)
    assert_whole(record.id)


def test_only_one_move_at_a_time_and_to_what_there_is(record: BoardRecord) -> None:
    moving.begin(record.id, "range", 3)
    with pytest.raises(BoardMoveError, match="already moving to range with 3 shards"):
        moving.begin(record.id, "range", 4)
    for layout, shards in (("pie", 1), ("hash", 0), ("hash", 1025)):
        with pytest.raises(BoardMoveError, match="hash, range, and shards 1 to 1024"):
            moving.begin(record.id, layout, shards)
    give_up(record.id, NOW)
    with pytest.raises(BoardMoveError, match="is not being moved"):
        moving.copy_chunk(record.id)
    record.archived_at = NOW
    db.session.commit()
    with pytest.raises(BoardMoveError, match="archived"):
        moving.begin(record.id, "range", 4)


def test_an_ordered_board_moves_with_its_ties(app: Flask) -> None:
    game = make_score_game()
    mode = make_score_mode(game, NewMode("first", "First", "latest", Ties.EARLIEST, -100, 100))
    record = catalogue.board_for(mode, parse_window("all-time", "UTC"))
    start = to_us(NOW)
    records = {
        player: Held(n % 5, start + n, str(UUID(int=1))) for n, player in enumerate(PLAYERS[:60])
    }
    fill(record, spec(mode, record), records)
    db.session.commit()
    board(record.id).load(records.items())
    move(record.id, "range", 4)
    assert_whole(record.id)
    late, early = (
        Attempt(records[PLAYERS[7]].at - 1, "x", 9),
        Attempt(records[PLAYERS[7]].at + 1, "y", 9),
    )
    applied = apply_all(
        [(board(record.id), PLAYERS[7], late), (board(record.id), PLAYERS[7], early)]
    )
    assert [applied_score.outcome for applied_score in applied] == ["unchanged", "counted"], (
        "the moment came along"
    )


def test_the_command_moves_a_board_and_says_how_far_it_is(
    app: Flask, monkeypatch: pytest.MonkeyPatch, record: BoardRecord
) -> None:
    use_here(monkeypatch, commands, app)
    run = CliRunner()
    result = run.invoke(
        commands.boards, ["move", "bowl:career:all-time", "--layout", "range", "--shards", "3"]
    )
    assert (result.exit_code, result.output) == (
        0,
        "bowl:career:all-time: 150 of 150 players copied\n",
    ), result.output
    assert_whole(record.id)
    for key in ("bowl:career", "bowl:nothing:all-time", "bowl:career:daily:2026-01-01"):
        result = run.invoke(commands.boards, ["move", key, "--layout", "hash"])
        assert isinstance(result.exception, BoardNotFoundError), result.output
        assert key in str(result.exception)
    moving.begin(record.id, "hash", 1)
    db.session.rollback()
    assert run.invoke(commands.boards, ["move", "bowl:career:all-time", "--give-up"]).exit_code == 0
    assert board(record.id).spec.next is None
