"""Closed boards are archived whole, answer as before, and leave nothing behind.

Whichever process dies, and whenever.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask import Flask, current_app
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from sqlalchemy import func, select

from app.boards import services
from app.boards.archive import board_objects
from app.boards.archive import services as archive
from app.boards.archive.archived_board import ArchivedBoard
from app.boards.archive.services import BoardArchiveBusyError, archive_boards
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.layouts.board import open_board
from app.boards.models import BoardCount, BoardRecord, BoardScore, Mode, ScoreGame
from app.boards.rules import SECOND, Budget, Held, Ties
from app.boards.spec import BoardSpec
from app.boards.verification import rebuild
from app.boards.windows.rules import parse_window
from app.core import clock
from app.core.blob_store import BlobNotFoundError, BlobStore
from app.core.clock import to_us
from app.core.db import db, only_run
from app.core.postgres.advisory_locks import Lock
from app.core.redis.clients import boards_redis
from tests.boards.plain import PlainBoard
from tests.killing import kill_at_line
from tests.sizes import size
from tests.worlds.boards import NOW, PLAYERS, fill
from tests.worlds.score_games import make_score_game, make_score_mode
from workers.jobs import archive_boards as job

NUMBERS = count(1)
HELD = {
    player: Held(n // 3 - 1, to_us(NOW) + n % 2 * SECOND, str(UUID(int=1)))
    for n, player in enumerate(PLAYERS)
}
LATER = NOW + timedelta(days=60)


@pytest.fixture
def store(app: Flask, tmp_path: Path) -> Iterator[BlobStore]:
    """An empty store, which is the application's."""
    there = current_app.extensions["blobs"]
    empty = current_app.extensions["blobs"] = BlobStore(str(tmp_path))
    yield empty
    current_app.extensions["blobs"] = there


@pytest.fixture
def mode(app: Flask) -> tuple[ScoreGame, Mode]:
    game = make_score_game()
    new = NewMode(
        "m",
        "M",
        "highest",
        "earliest",
        -100,
        100,
        windows=("daily", "all-time"),
        keep_days={"daily": 30},
    )
    return game, make_score_mode(game, new)


def make_board(mode: tuple[ScoreGame, Mode], window: str) -> BoardRecord:
    """A board that PostgreSQL and Redis hold alike."""
    record = catalogue.board_for(mode[1], parse_window(window, "UTC"))
    spec = catalogue.spec_of(*mode, record)
    fill(record, spec, HELD)
    db.session.commit()
    open_board(spec).load(HELD.items())
    return record


@dataclass
class Standing:
    player_id: UUID
    score: int
    tie: int
    at: int
    event_id: UUID


@pytest.mark.sized
@pytest.mark.parametrize("ties", list(Ties))
def test_every_read_is_that_of_plain_python(
    store: BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ties: Ties
) -> None:
    monkeypatch.setattr(board_objects, "GROUP", 4)  # three row groups of twelve players
    spec = BoardSpec("bowl", "m", "w", ties=ties, budget=Budget(tied=ties is Ties.EARLIEST))
    records_held = st.builds(
        Held, st.integers(-2, 2), st.integers(-1, 3).map(lambda second: second * SECOND)
    )

    @settings(
        max_examples=size("PRESSBOX_PROPERTY_CASES", 8, 60),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(records=st.dictionaries(st.sampled_from(PLAYERS), records_held))
    def alike(records: dict[str, Held]) -> None:
        plain = PlainBoard(spec, records)
        folder = tmp_path / str(next(NUMBERS))
        folder.mkdir()
        rows = [
            Standing(
                UUID(row.member),
                row.score,
                plain.tie(records[row.member]),
                records[row.member].at,
                UUID(int=1),
            )
            for row in plain.page(0, 100)
        ]
        board_objects.write(str(folder), ties, spec.order, rows)
        board = ArchivedBoard(
            store, f"{folder.name}/order.parquet", f"{folder.name}/players.parquet"
        )
        assert board.count() == plain.count()
        assert board.standings(PLAYERS) == plain.standings(PLAYERS)
        for offset, limit in ((0, 100), (1, 3), (5, 2), (12, 1)):
            assert board.page(offset, limit) == plain.page(offset, limit)
        for player in PLAYERS[:4]:
            assert board.around(player, 2) == plain.around(player, 2)
            assert board.view(2, 3, player, 1) == plain.view(2, 3, player, 1)
        for score in range(-3, 4):
            assert board.rank_of_score(score) == plain.rank_of_score(score)
        for low, high, offset in ((-1, 1, 0), (-1, 1, 2), (0, 0, 1), (2, 1, 0), (-9, 9, 3)):
            assert board.band(low, high, offset, 4) == plain.band(low, high, offset, 4)
        assert board.standings(["nobody"]) == {}

    alike()


def test_an_expired_board_is_read_from_the_archive_and_nothing_else_holds_it(
    store: BlobStore, mode: tuple[ScoreGame, Mode]
) -> None:
    record, living = make_board(mode, "daily:2026-09-13"), make_board(mode, "all-time")
    before = services.read(*mode, "daily:2026-09-13")
    expected = before.board.view(2, 5, PLAYERS[3], 2)
    assert archive_boards(store, NOW + timedelta(days=29)).archived == 0, "its time is not over"
    done = archive_boards(store, LATER)
    assert (done.archived, done.cleared, done.changed) == (1, 1, 0)
    reading = services.read(*mode, "daily:2026-09-13")
    assert reading.board.view(2, 5, PLAYERS[3], 2) == expected
    assert reading.source == services.ARCHIVE
    assert store.names("boards.v1") == [
        f"boards.v1/game=bowl/mode=m/daily=2026-09-13/{name}"
        for name in ("order.parquet", "players.parquet")
    ]
    check_only(living)
    assert services.read(*mode, "all-time").source == services.REDIS
    assert rebuild.rebuild(record.id, LATER) is None


def check_only(living: BoardRecord) -> None:
    """PostgreSQL and Redis hold this board alone."""
    for table in (BoardScore, BoardCount):
        assert db.session.scalars(select(table.board_id).distinct()).all() == [living.id]
    assert not [key for key in boards_redis().keys("lb:*") if b"all-time" not in key]


def test_the_job_done_twice_changes_nothing(store: BlobStore, mode: tuple[ScoreGame, Mode]) -> None:
    living = make_board(mode, "all-time")
    old = [make_board(mode, f"daily:2026-08-0{day}") for day in (1, 2)]

    def state() -> list[Any]:
        db.session.rollback()
        rows = db.session.execute(select(BoardRecord.__table__).order_by(BoardRecord.id)).all()
        return [*rows, *((name, store.get(name)) for name in store.names("boards.v1"))]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now", lambda: LATER)
        job.run()
        first = state()
        patch.setattr(clock, "now", lambda: LATER + timedelta(days=1))
        job.run()
    assert state() == first
    assert len(first) == 3 + 2 * len(old)
    check_only(living)


def test_a_score_that_comes_while_it_is_written_is_in_the_archive_of_the_next_run(
    store: BlobStore, mode: tuple[ScoreGame, Mode], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = make_board(mode, "daily:2026-09-13")
    write = archive._write
    late = str(UUID(int=77))

    def write_while_a_score_comes(*arguments: Any) -> Any:
        written = write(*arguments)
        fill(record, catalogue.spec_of(*mode, record), {late: Held(50, to_us(NOW))})
        db.session.commit()
        return written

    with monkeypatch.context() as patch:
        patch.setattr(archive, "_write", write_while_a_score_comes)
        assert archive_boards(store, LATER).changed == 1
    assert services.read(*mode, "daily:2026-09-13").source != services.ARCHIVE
    assert archive_boards(store, LATER).archived == 1
    assert services.read(*mode, "daily:2026-09-13").board.page(0, 1)[0].member == late


def test_a_board_of_a_million_is_deleted_a_chunk_at_a_time(
    store: BlobStore, mode: tuple[ScoreGame, Mode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve players in chunks of five."""
    make_board(mode, "daily:2026-09-13")
    monkeypatch.setattr(archive, "CHUNK", 5)
    archive_boards(store, LATER)
    assert db.session.scalar(select(func.count()).select_from(BoardScore)) == 0
    assert services.read(*mode, "daily:2026-09-13").board.count() == len(HELD)


def test_two_runs_at_once_are_one(store: BlobStore, mode: tuple[ScoreGame, Mode]) -> None:
    make_board(mode, "daily:2026-09-13")
    with only_run(Lock.BOARD_ARCHIVE, BoardArchiveBusyError("")):
        with pytest.raises(BoardArchiveBusyError, match="Wait until it ends"):
            archive_boards(store, LATER)
        job.run()
    assert services.read(*mode, "daily:2026-09-13").source == services.REDIS


def test_an_object_that_is_lost_or_broken_is_an_error_and_no_empty_board(
    store: BlobStore, mode: tuple[ScoreGame, Mode]
) -> None:
    make_board(mode, "daily:2026-09-13")
    archive_boards(store, LATER)
    name = "boards.v1/game=bowl/mode=m/daily=2026-09-13/order.parquet"
    data = store.get(name)
    column = parquet.ParquetFile(store.open(name)).metadata.row_group(0).column(0)
    at = column.data_page_offset + column.total_compressed_size - 1
    store.put(name, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    with pytest.raises(OSError, match=r"(?i)crc|checksum|corrupt"):
        services.read(*mode, "daily:2026-09-13").board.page(0, 5)
    Path(store.url, name).unlink()
    with pytest.raises(BlobNotFoundError, match=r"order\.parquet"):
        services.read(*mode, "daily:2026-09-13").board.page(0, 5)


@pytest.mark.sized
def test_killed_at_any_line_the_board_stays_readable_and_the_next_run_ends_it(
    store: BlobStore, mode: tuple[ScoreGame, Mode]
) -> None:
    living = make_board(mode, "all-time")
    make_board(mode, "daily:2025-01-01")
    expected = services.read(*mode, "daily:2025-01-01").board.view(2, 5, PLAYERS[3], 2)
    with kill_at_line(None, archive, board_objects) as tracer:
        archive_boards(store, LATER)
    lines = list(tracer.lines)
    assert len(lines) > 60
    assert {name for name, _ in lines} == {"services.py", "board_objects.py"}
    for number, line in enumerate(lines[:: size("PRESSBOX_KILL_EVERY", 6, 1)]):
        window = f"daily:{date(2025, 2, 1) + timedelta(days=number)}"
        make_board(mode, window)
        with kill_at_line(line, archive, board_objects):
            archive_boards(store, LATER)
        db.session.expire_all()
        assert services.read(*mode, window).board.view(2, 5, PLAYERS[3], 2) == expected, line
        archive_boards(store, LATER)
        db.session.expire_all()
        reading = services.read(*mode, window)
        assert reading.board.view(2, 5, PLAYERS[3], 2) == expected, line
        assert reading.source == services.ARCHIVE
        check_only(living)
