"""Boards that Redis missed something of: found, read from PostgreSQL meanwhile, and rebuilt when Redis is back.

`boards.stale_since` is the durable note. It is set by the consumer where Redis did not take a score, and for every
board when Redis has lost its memory, which a key of ours tells. Called by the consumer between batches.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import redis
import structlog
from sqlalchemy import select, text

from app.boards import catalogue, moving
from app.boards.board import open_board
from app.boards.models import BoardCount, BoardRecord, BoardScore
from app.boards.ranged import RangeBoard, cuts_from_counts
from app.boards.rules import Held
from app.core import clock
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

    No score of the mode is written meanwhile. A move that is under way is thrown away. Raises redis errors: the mark
    stays then.
    """
    with moving.alone(board_id) as (record, mode):
        if record.stale_since is None:
            return False
        game = catalogue.game_of(mode)
        spec = replace(catalogue.spec_of(game, mode, record), next=None)
        numbers = [record.generation, record.next_generation or 0, *(int(one["generation"]) for one in record.retired)]
        if record.next_generation is not None:
            moving.retire(record, clock.now(), record.next_generation, record.next_layout, record.next_shards)
            moving.forget(record)
        moving.retire(record, clock.now(), record.generation, record.layout, record.shards)
        record.generation = max(numbers) + 1
        record.stale_since = None
        new = open_board(replace(spec, generation=record.generation))
        new.drop()  # what a rebuild that died here has left
        if isinstance(new, RangeBoard):
            counts = select(BoardCount.score, BoardCount.players).where(BoardCount.board_id == board_id)
            rows = db.session.execute(counts.order_by(BoardCount.score.desc()))
            new.cut(cuts_from_counts(((row.score, row.players) for row in rows), spec.budget, spec.shards))
        held = select(BoardScore.player_id, BoardScore.score, BoardScore.at, BoardScore.event_id).where(
            BoardScore.board_id == board_id
        )
        found = db.session.execute(held.execution_options(yield_per=10_000))
        loaded = new.load((str(row.player_id), Held(row.score, row.at, str(row.event_id))) for row in found)
    log.info("rebuilt", board=spec.name, generation=new.spec.generation, players=loaded)
    return True
