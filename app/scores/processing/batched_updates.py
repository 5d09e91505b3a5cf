"""Updates the boards of modes that do so every `update_seconds`.

Takes what waits (app/scores/standings/waiting_scores.py) over into `board_scores` and Redis, a
transaction per mode and chunk. The process may die at any line: what is not committed still waits,
and putting the same standing to Redis twice changes nothing. The consumer calls this between
batches.
"""

from __future__ import annotations

import math
from collections import defaultdict
from datetime import datetime
from uuid import UUID

import redis
import structlog
from sqlalchemy import func, select

from app.boards.catalogue import queries as catalogue
from app.boards.models import BoardRecord, Mode, WaitingScore
from app.boards.rules import Held
from app.boards.windows.rules import parse_window
from app.core.db import db, transaction
from app.scores.standings import board_scores, waiting_scores
from app.scores.standings.board_scores import OnBoard, Place
from app.scores.standings.mode_boards import on_board

log = structlog.get_logger(__name__)

CHUNK = 500  # players and boards per hold of a mode's lock


def publish_due(now: datetime) -> int:
    """Show every standing whose update is due at `now`; return how many were shown.

    Commits after each chunk. A board that Redis does not take is read from PostgreSQL until it is
    rebuilt.
    """
    modes = db.session.scalars(
        select(BoardRecord.mode_id)
        .join(WaitingScore, WaitingScore.board_id == BoardRecord.id)
        .join(Mode, Mode.id == BoardRecord.mode_id)
        .where(WaitingScore.due_at <= now, Mode.deleting_at.is_(None))
        .distinct()
        .order_by(BoardRecord.mode_id)
    ).all()
    db.session.rollback()
    updated = 0
    for mode_id in modes:
        while count := _publish_chunk(mode_id, now):
            updated += count
    if updated:
        log.info("boards_updated", standings=updated, modes=len(modes))
    return updated


def seconds_to_next(now: datetime) -> float:
    """Return the time from now to the next update of a board; infinite if no standing waits."""
    due_at: datetime | None = db.session.scalar(select(func.min(WaitingScore.due_at)))
    db.session.rollback()
    return math.inf if due_at is None else (due_at - now).total_seconds()


def _publish_chunk(mode_id: UUID, now: datetime) -> int:
    """Show up to CHUNK standings of the mode and commit; return how many."""
    with transaction():
        mode = catalogue.lock_modes([mode_id], exclusive=True).get(mode_id)
        if mode is None:
            return 0
        due = db.session.execute(
            select(WaitingScore.board_id, WaitingScore.player_id)
            .join(BoardRecord, BoardRecord.id == WaitingScore.board_id)
            .where(BoardRecord.mode_id == mode_id, WaitingScore.due_at <= now)
            .order_by(WaitingScore.board_id, WaitingScore.player_id)
            .limit(CHUNK)
        )
        standings = waiting_scores.waiting_now([(row.board_id, row.player_id) for row in due])
        boards = _boards(mode, {board_id for board_id, _ in standings})
        board_scores.store(boards, board_scores.held_now(standings.keys()), standings)
        _put(boards, standings, now)
        players_by_board: dict[int, list[UUID]] = defaultdict(list)
        for board_id, player_id in standings:
            players_by_board[board_id].append(player_id)
        for board_id, players in players_by_board.items():
            waiting_scores.forget_waiting([board_id], players)
    return len(standings)


def _boards(mode: Mode, board_ids: set[int]) -> dict[int, OnBoard]:
    records = db.session.scalars(
        select(BoardRecord)
        .where(BoardRecord.id.in_(board_ids))
        .execution_options(populate_existing=True)
    )
    return {
        record.id: on_board(mode, record, parse_window(record.window_id, mode.calendar))
        for record in records
    }


def _put(boards: dict[int, OnBoard], standings: dict[Place, Held], now: datetime) -> None:
    by_board: dict[int, dict[str, Held | None]] = defaultdict(dict)
    for (board_id, player_id), standing in standings.items():
        by_board[board_id][str(player_id)] = standing
    for board_id, by_member in by_board.items():
        board = boards[board_id]
        if board.record.stale_since is not None:
            continue  # its rebuild reads PostgreSQL
        try:
            board.redis.put(by_member)
        except redis.RedisError as error:
            board.record.stale_since = now
            log.warning("redis_missed", board=board.redis.spec.name, reason=type(error).__name__)
