"""Moves closed boards from PostgreSQL to the blob store, where they stay readable (PRODUCT D4, E3).

A board is archived once its window's keep_days are over: it is written without any lock, and
recorded under the mode's lock only if nothing has changed in the meantime. Then its rows are
deleted in chunks and its keys dropped. The next run finds every unfinished step, so the process may
die at any line. archived_board.py describes the objects; workers/jobs/archive_boards.py runs this.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from tempfile import TemporaryDirectory
from typing import Any

import structlog
from sqlalchemy import CursorResult, Row, exists, select, text

from app.boards.archive.archived_board import ORDER, PLAYERS, ArchivedBoard
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import open_board
from app.boards.layouts.moving import alone, forget, retire
from app.boards.models import BoardRecord, Mode, WaitingScore
from app.boards.spec import BoardSpec
from app.core.blob_store import BlobStore
from app.core.db import db, only_run
from app.core.errors import UserError
from app.core.postgres.advisory_locks import Lock

log = structlog.get_logger(__name__)

FOLDER = "boards.v1"  # of the blob store
CHUNK = 10_000  # rows per deletion


class BoardArchiveBusyError(UserError):
    """Another run is in progress."""


class BoardArchiveError(UserError):
    """An object does not read back as it was written."""


@dataclass(frozen=True)
class Archived:
    """Result of a run: boards archived, boards cleared, and boards left for the next run.

    A board is left if a score reached it in the meantime.
    """

    archived: int
    cleared: int
    changed: int


def archive_boards(store: BlobStore, now: datetime) -> Archived:
    """Archive every board that has expired, and clear those that are archived.

    Commits after each step; a second run changes nothing. Frozen boards, whose scores moderators
    are looking into, wait until they thaw.

    Raises:
        BoardArchiveBusyError: Another run is in progress.
        BoardArchiveError: An object does not read back as it was written.
        BlobStoreError: The blob store failed.
        RedisError: Redis failed while a board was cleared.
    """
    archived = changed = 0
    with only_run(
        Lock.BOARD_ARCHIVE,
        BoardArchiveBusyError("Another run is archiving boards. Wait until it ends."),
    ):
        due = db.session.scalars(
            select(BoardRecord.id)
            .where(
                BoardRecord.archived_at.is_(None),
                BoardRecord.frozen_at.is_(None),
                BoardRecord.expires_at <= now,
            )
            .order_by(BoardRecord.expires_at, BoardRecord.id)
        ).all()
        db.session.rollback()
        for board_id in due:
            if _archive(store, board_id, now):
                archived += 1
            else:
                changed += 1
        left = db.session.scalars(
            select(BoardRecord.id)
            .where(
                BoardRecord.archived_at.is_not(None),
                BoardRecord.cleared_at.is_(None),
                BoardRecord.blob.is_not(None),
            )
            .order_by(BoardRecord.id)
        ).all()
        db.session.rollback()
        for board_id in left:
            _clear(board_id, now)
    return Archived(archived, len(left), changed)


def blob_name(spec: BoardSpec) -> str:
    """Return the name of the board's objects: `boards.v1/game=bowl/mode=solo/daily=2026-04-05`."""
    return f"{FOLDER}/game={spec.game}/mode={spec.mode}/{spec.window.replace(':', '=')}"


def _archive(store: BlobStore, board_id: int, now: datetime) -> bool:
    """Archive the board; False if it changed or was frozen while it was being written."""
    spec, written, sha256 = _write(store, board_id)
    with alone(board_id) as (record, _):
        if (
            (record.archived_at or record.frozen_at) is not None
            or _fingerprint(board_id) != written
            or _has_waiting_scores(board_id)
        ):
            log.info("board_changed_while_archived", board=spec.name)
            return False
        record.archived_at, record.blob, record.blob_sha256 = now, blob_name(spec), sha256
        record.stale_since = None
        if record.next_generation is not None:
            retire(record, now, record.next_generation, record.next_layout, record.next_shards)
            forget(record)
    log.info("board_archived", board=spec.name, blob=blob_name(spec), players=written[0])
    return True


def _write(store: BlobStore, board_id: int) -> tuple[BoardSpec, tuple[int, int], str]:
    """Write the board's objects as of one moment, read them back and compare.

    Returns:
        The board's fingerprint at that moment, and the SHA-256 of the objects.
    """
    # pyarrow is large, and most processes never archive a board
    from app.boards.archive import board_objects

    try:
        db.session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        record = db.session.get_one(BoardRecord, board_id, populate_existing=True)
        mode = db.session.get_one(Mode, record.mode_id, populate_existing=True)
        spec = catalogue.spec_of(catalogue.game_of(mode), mode, record)
        fingerprint = _fingerprint(board_id)
        with TemporaryDirectory(prefix="pressbox-board-") as folder:
            paths = board_objects.write(folder, spec.ties, spec.order, _rows(board_id))
            digests = {name: _sha256_of(path) for name, path in paths.items()}
            for name, path in paths.items():
                store.put_file(f"{blob_name(spec)}/{name}", path)
    finally:
        db.session.rollback()
    for name, digest in digests.items():
        with store.open(f"{blob_name(spec)}/{name}") as stored:
            if hashlib.file_digest(stored, "sha256").hexdigest() != digest:
                raise BoardArchiveError(
                    f"{blob_name(spec)}/{name} could not be read back correctly. Nothing is "
                    "lost: the board stays in PostgreSQL. Check the blob store; the next "
                    "run writes it again."
                )
    return spec, fingerprint, digests[ORDER]


def _sha256_of(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _rows(board_id: int) -> Iterator[Row[Any]]:
    """In the board's order."""
    rows = text("""
        SELECT player_id, score, tie, at, event_id FROM board_scores WHERE board_id = :board
        ORDER BY score DESC, tie, player_id
    """)
    yield from db.session.execute(rows.execution_options(yield_per=CHUNK), {"board": board_id})


def _fingerprint(board_id: int) -> tuple[int, int]:
    """Return the number of players and a number that changes with anything the board holds."""
    row = db.session.execute(
        text(
            "SELECT count(*) AS players, coalesce(sum(CAST(hashtextextended(CAST(s AS text), 0) AS "
            "numeric)), 0) AS all"
            "_of_it FROM board_scores s WHERE board_id = :board"
        ),
        {"board": board_id},
    ).one()
    return row.players, int(row.all_of_it)


def _has_waiting_scores(board_id: int) -> bool:
    """Whether accepted scores wait for the board's next update."""
    return db.session.scalar(select(exists().where(WaitingScore.board_id == board_id))) or False


def _clear(board_id: int, now: datetime) -> None:
    """Delete the rows of an archived board and drop its keys.

    Readers use the archive by now.
    """
    rows = text("""
        DELETE FROM board_scores WHERE board_id = :board AND player_id IN (
          SELECT player_id FROM board_scores WHERE board_id = :board ORDER BY player_id
            LIMIT :chunk)
    """)
    counts = text("""
        DELETE FROM board_counts WHERE board_id = :board AND score IN (
          SELECT score FROM board_counts WHERE board_id = :board ORDER BY score LIMIT :chunk)
    """)
    # what archived attempts (app/scores/archive) come to is of use on live boards only
    cold = text("""
        DELETE FROM archived_standings WHERE board_id = :board AND (player_id, month) IN (
          SELECT player_id, month FROM archived_standings WHERE board_id = :board LIMIT :chunk)
    """)
    for statement in (rows, counts, cold):
        deleted = CHUNK
        while deleted == CHUNK:
            done: CursorResult[Any] = db.session.execute(
                statement, {"board": board_id, "chunk": CHUNK}
            )  # type: ignore[assignment]
            deleted = done.rowcount
            db.session.commit()
    with alone(board_id) as (record, mode):
        open_board(catalogue.spec_of(catalogue.game_of(mode), mode, record)).drop()
        record.cleared_at = now


def open_archived(store: BlobStore, record: BoardRecord) -> ArchivedBoard:
    """Open the archived board that `record.blob` names."""
    assert record.blob is not None  # of a board with archived_at
    return ArchivedBoard(store, f"{record.blob}/{ORDER}", f"{record.blob}/{PLAYERS}")
