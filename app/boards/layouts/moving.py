"""Moves a board to another layout or number of shards while scores keep coming (decision 0011).

Begins, continues and abandons moves, and drops old generations. The state is in the board's row, so
any process can continue a move. board.py writes to both generations of a moving board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import func, select

from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import MAX_SHARDS
from app.boards.layouts.board import Board, open_board
from app.boards.layouts.ranged import RangeBoard, split_points_of_counts
from app.boards.models import BoardCount, BoardRecord, BoardScore, Mode
from app.boards.rules import Held
from app.boards.spec import LAYOUTS, BoardSpec
from app.core import clock
from app.core.db import db, transaction
from app.core.errors import UserError

CHUNK = 2_000  # players per hold of the lock: writers wait about 0.1 s
GRACE = timedelta(minutes=1)  # for requests that found the old generation in the row


class BoardMoveError(UserError):
    """The move cannot begin or continue; the text says why and what to do."""


@dataclass(frozen=True)
class Moved:
    """The progress of a move: players copied, and players in all."""

    copied: int
    total: int


@contextmanager
def alone(board_id: int) -> Iterator[tuple[BoardRecord, Mode]]:
    """Open a transaction in which nobody else writes scores of the board's mode.

    Commits at the end; an error rolls back.
    """
    with transaction():
        mode_id = db.session.scalar(select(BoardRecord.mode_id).where(BoardRecord.id == board_id))
        if mode_id is None:
            raise BoardMoveError(f"The board {board_id} no longer exists.")
        mode = catalogue.lock_modes([mode_id], exclusive=True)[mode_id]
        query = select(BoardRecord).where(BoardRecord.id == board_id).with_for_update()
        yield db.session.scalars(query.execution_options(populate_existing=True)).one(), mode


def move(
    board_id: int, layout: str, shards: int, say: Callable[[Moved], None] | None = None
) -> None:
    """Move the board, or continue the same move where it stopped.

    What is done stays done after an error: the move can be continued (`move`) or abandoned
    (`give_up`).

    Raises:
        BoardMoveError: The move cannot begin or continue.
        RedisAway: Redis cannot be reached.
    """
    begin(board_id, layout, shards)
    total = db.session.scalar(select(func.count()).where(BoardScore.board_id == board_id)) or 0
    while (copied := copy_chunk(board_id)) is not None:
        if say is not None:
            say(Moved(copied, max(copied, total)))
    switch(board_id, clock.now())


def begin(board_id: int, layout: str, shards: int) -> None:
    """Begin a move: once committed, every writer writes to both generations.

    Nothing happens if the same move has begun before.

    Raises:
        BoardMoveError: The board cannot move there, or another move is in progress.
    """
    if layout not in LAYOUTS or not 1 <= shards <= MAX_SHARDS:
        raise BoardMoveError(
            f"Layout must be one of {', '.join(LAYOUTS)}, and shards 1 to {MAX_SHARDS}."
        )
    with alone(board_id) as (record, mode):
        if record.archived_at is not None:
            raise BoardMoveError(
                f"{_name(record, mode)} is archived. None of it is in Redis, so there is "
                "nothing to move."
            )
        if record.next_generation is not None:
            if (record.next_layout, record.next_shards) == (layout, shards):
                return
            raise BoardMoveError(
                f"{_name(record, mode)} is already moving to {record.next_layout} with "
                f"{record.next_shards} shards. Wait until that is done, or cancel it with "
                "--give-up."
            )
        record.next_generation = free_generation(record)
        record.next_layout, record.next_shards = layout, shards
        record.next_player_id, record.copied = None, 0
        open_empty(_following(record, mode), board_id)


def copy_chunk(board_id: int) -> int | None:
    """Copy the next players by id and record how far the move is.

    The mode is locked, so nobody writes their scores between reading and writing. Copying a chunk
    twice changes nothing.

    Returns:
        How many were copied so far; None when all of them are.

    Raises:
        BoardMoveError: No move is in progress.
    """
    with alone(board_id) as (record, mode):
        following = open_board(_following(record, mode))
        rows = select(
            BoardScore.player_id, BoardScore.score, BoardScore.at, BoardScore.event_id
        ).where(BoardScore.board_id == board_id)
        if record.next_player_id is not None:
            rows = rows.where(BoardScore.player_id > record.next_player_id)
        rows_to_copy = db.session.execute(rows.order_by(BoardScore.player_id).limit(CHUNK)).all()
        if not rows_to_copy:
            return None
        following.put(
            {str(row.player_id): Held(row.score, row.at, str(row.event_id)) for row in rows_to_copy}
        )
        record.next_player_id = rows_to_copy[-1].player_id
        record.copied += len(rows_to_copy)
        return record.copied


def switch(board_id: int, now: datetime) -> None:
    """Let readers and writers use the new generation; the old one is dropped after GRACE.

    Raises:
        BoardMoveError: The two generations do not hold equally many players; the move begins again.
    """
    with alone(board_id) as (record, mode):
        spec = _following(record, mode)
        rows = db.session.scalar(select(func.count()).where(BoardScore.board_id == board_id))
        following = open_board(spec)
        members = following.size()
        if members == rows:
            following.count_members()
            retire(record, now, record.generation, record.layout, record.shards)
            record.generation, record.layout, record.shards = (
                spec.generation,
                spec.layout,
                spec.shards,
            )
            forget(record)
        else:
            record.next_player_id, record.copied = None, 0
    if members != rows:
        raise BoardMoveError(
            f"{spec.name}: Redis holds {members} of {rows} players at its destination (a "
            "server may have lost some). Run this again to copy them again."
        )


def give_up(board_id: int, now: datetime) -> None:
    """Abandon a move; nothing happens if none is in progress."""
    with alone(board_id) as (record, _):
        if record.next_generation is not None:
            retire(record, now, record.next_generation, record.next_layout, record.next_shards)
            forget(record)


def drop_retired(now: datetime) -> int:
    """Drop generations from Redis that were retired GRACE ago or earlier; return how many.

    Raises:
        RedisAway: Redis cannot be reached.
    """
    ids = db.session.scalars(
        select(BoardRecord.id).where(func.jsonb_array_length(BoardRecord.retired) > 0)
    ).all()
    db.session.rollback()
    dropped = 0
    for board_id in ids:
        with alone(board_id) as (record, mode):
            spec = catalogue.spec_of(catalogue.game_of(mode), mode, record)
            old = [
                generation
                for generation in record.retired
                if datetime.fromisoformat(generation["at"]) + GRACE <= now
            ]
            for generation in old:
                shape = {
                    "generation": generation["generation"],
                    "layout": generation["layout"],
                    "shards": generation["shards"],
                }
                open_board(replace(spec, next=None, **shape)).drop()
            record.retired = [generation for generation in record.retired if generation not in old]
            dropped += len(old)
    return dropped


def free_generation(record: BoardRecord) -> int:
    """Return a generation number that Redis has no keys of, old generations included."""
    return max([record.generation, *(int(retired["generation"]) for retired in record.retired)]) + 1


def open_empty(spec: BoardSpec, board_id: int) -> Board:
    """Open a new generation, without what a run that died may have left in it.

    Ranges are split by the board's counts.
    """
    board = open_board(spec)
    board.drop()
    if isinstance(board, RangeBoard):
        counts = select(BoardCount.score, BoardCount.players).where(BoardCount.board_id == board_id)
        rows = db.session.execute(counts.order_by(BoardCount.score.desc()))
        board.set_split_points(
            split_points_of_counts(((row.score, row.players) for row in rows), spec.shards)
        )
    return board


def retire(
    record: BoardRecord, now: datetime, generation: int, layout: str | None, shards: int | None
) -> None:
    """Record a generation as retired; `drop_retired` drops it after GRACE."""
    retired = {"generation": generation, "layout": layout, "shards": shards, "at": now.isoformat()}
    record.retired = [*record.retired, retired]


def forget(record: BoardRecord) -> None:
    """Record that the board is not moving."""
    record.next_generation = record.next_layout = record.next_shards = record.next_player_id = None
    record.copied = 0


def drop_all(record: BoardRecord, mode: Mode) -> None:
    """Drop every generation of a board that is being deleted from Redis.

    Raises:
        RedisAway: Redis cannot be reached.
    """
    spec = catalogue.spec_of(catalogue.game_of(mode), mode, record)
    current = [replace(spec, next=None), *([spec.next] if spec.next else [])]
    old = [
        replace(
            spec,
            next=None,
            layout=retired["layout"],
            shards=int(retired["shards"]),
            generation=int(retired["generation"]),
        )
        for retired in record.retired
    ]
    for generation in (*current, *old):
        open_board(generation).drop()


def _following(record: BoardRecord, mode: Mode) -> BoardSpec:
    spec = catalogue.spec_of(catalogue.game_of(mode), mode, record)
    if spec.next is None:
        raise BoardMoveError(f"{spec.name} is not being moved. Start with `pressbox boards move`.")
    return spec.next


def _name(record: BoardRecord, mode: Mode) -> str:
    return catalogue.spec_of(catalogue.game_of(mode), mode, record).name
