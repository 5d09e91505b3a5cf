"""Regular upkeep of boards: even ranges, parts that agree, no left-over generations.

A scheduled job calls this.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy import select

from app.boards.catalogue import queries as catalogue
from app.boards.layouts import moving
from app.boards.layouts.balance import balance, rebalance
from app.boards.layouts.board import open_board
from app.boards.layouts.ranged import RangeBoard
from app.boards.models import BoardRecord
from app.boards.spec import RANGE
from app.core.db import db


@dataclass(frozen=True)
class Rebalanced:
    """Result of a run.

    Attributes:
        moved: Members that changed partition.
        rebuilt: Boards rebuilt from PostgreSQL because homes and partitions held different numbers
            of members.
        dropped: Generations dropped.
    """

    moved: int
    rebuilt: tuple[str, ...]
    dropped: int


def rebalance_boards(now: datetime) -> Rebalanced:
    """Rebalance all range boards except those that are moving.

    Raises:
        RedisAway: Redis cannot be reached; what was done until then stays done.
    """
    dropped = moving.drop_retired(now)
    ids = db.session.scalars(
        select(BoardRecord.id)
        .where(
            BoardRecord.layout == RANGE,
            BoardRecord.archived_at.is_(None),
            BoardRecord.next_generation.is_(None),
        )
        .order_by(BoardRecord.id)
    ).all()
    db.session.rollback()
    moved, rebuilt = 0, []
    for board_id in ids:
        board, agrees = _look(board_id)
        if board is None:
            continue
        if not agrees:
            moving.move(board_id, board.spec.layout, board.spec.shards)
            rebuilt.append(board.spec.name)
        elif (board_balance := balance(board)).is_uneven or board_balance.moving:
            moved += rebalance(board, partial(moving.alone, board_id))
    return Rebalanced(moved, tuple(rebuilt), dropped)


def _look(board_id: int) -> tuple[RangeBoard | None, bool]:
    """Return the board, None if it is not kept, and whether its parts agree while nobody writes."""
    with moving.alone(board_id) as (record, mode):
        board = open_board(catalogue.spec_of(catalogue.game_of(mode), mode, record))
        if not isinstance(board, RangeBoard) or board.following is not None:
            return None, True  # it has just moved
        board_balance = balance(board)
        return board, board_balance.agrees or board_balance.moving
