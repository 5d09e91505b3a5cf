"""Boards that Redis missed something of: found, read from PostgreSQL meanwhile, and rebuilt when Redis is back.

`boards.stale_since` is the durable note. It is set by the consumer where Redis did not take a score, and for every
board when Redis has lost its memory, which a key of ours tells. Called by the consumer between batches.
"""

from __future__ import annotations

from datetime import datetime

import redis
import structlog
from sqlalchemy import select, text

from app.boards import catalogue
from app.boards.board import open_board
from app.boards.models import BoardRecord, BoardScore, ScoreGame
from app.boards.rules import Held
from app.core.db import db
from app.core.redis import boards_redis
from app.scores import corrections

log = structlog.get_logger(__name__)

FILLED = "lb:filled"  # there as long as Redis remembers


def look(now: datetime) -> None:
    """Marks all boards when Redis is empty, rebuilds those that are marked, and puts corrections that wait.

    Redis away: nothing."""
    try:
        if not boards_redis().exists(FILLED):
            marked = mark_all(now)
            boards_redis().set(FILLED, now.isoformat())
            log.warning("redis_was_empty", boards=marked)
        for board_id in db.session.scalars(
            select(BoardRecord.id)
            .where(BoardRecord.stale_since.is_not(None))
            .order_by(BoardRecord.stale_since, BoardRecord.id)
        ).all():
            rebuild(board_id)
        corrections.publish(now)
    except redis.RedisError as error:
        log.warning("boards_wait", reason=type(error).__name__)
    finally:
        db.session.rollback()


def mark_all(now: datetime) -> int:
    """Marks every board that is not archived. Commits; how many were not marked yet."""
    ids = db.session.scalars(
        text(
            "UPDATE boards SET stale_since = :now WHERE id IN (SELECT id FROM boards"
            " WHERE archived_at IS NULL AND stale_since IS NULL ORDER BY id FOR UPDATE) RETURNING id"
        ),
        {"now": now},
    ).all()
    db.session.commit()
    return len(ids)


def rebuild(board_id: int) -> bool:
    """Fills a new generation of the board from PostgreSQL and switches to it; False when it is not stale any more.

    No score of the mode is written meanwhile. Raises redis errors: the mark stays then.
    """
    try:
        mode_id = db.session.scalar(select(BoardRecord.mode_id).where(BoardRecord.id == board_id))
        mode = catalogue.lock_modes([mode_id], exclusive=True)[mode_id] if mode_id else None
        record = db.session.get(BoardRecord, board_id, populate_existing=True)
        if mode is None or record is None or record.stale_since is None:
            return False
        game = db.session.get(ScoreGame, mode.game_id)
        assert game is not None  # a foreign key
        old = open_board(catalogue.spec_of(game, mode, record))
        record.generation += 1
        record.stale_since = None
        new = open_board(catalogue.spec_of(game, mode, record))
        new.drop()  # what a rebuild that died here has left
        rows = db.session.execute(
            select(BoardScore.player_id, BoardScore.score, BoardScore.at, BoardScore.event_id)
            .where(BoardScore.board_id == board_id)
            .execution_options(yield_per=10_000)
        )
        loaded = new.load((str(row.player_id), Held(row.score, row.at, str(row.event_id))) for row in rows)
        db.session.commit()
    except BaseException:
        db.session.rollback()
        raise
    old.drop()
    log.info("rebuilt", board=new.spec.name, generation=new.spec.generation, players=loaded)
    return True
