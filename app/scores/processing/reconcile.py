"""Finds boards of which Redis missed something, and rebuilds them when Redis is back.

Until then they are read from PostgreSQL. `boards.stale_since` is the durable mark. The consumer
sets it if Redis did not take a score, and for every board if Redis has lost its memory or a restore
began a new timeline, which a key of ours shows. The consumer calls this between batches.
"""

from __future__ import annotations

from datetime import datetime

import redis
import structlog
from sqlalchemy import select, text

from app.boards.models import BoardRecord
from app.boards.verification.rebuild import drop_other_timelines, rebuild
from app.core.batch_failures import Failures
from app.core.db import db
from app.core.redis.clients import boards_redis
from app.core.restore_epoch import key_of
from app.scores.review import corrections

log = structlog.get_logger(__name__)

# exists as long as Redis has the boards of this timeline; holds since when
FILLED = "lb:filled"


def reconcile(now: datetime) -> None:
    """Mark all boards if Redis has none of this timeline, rebuild marked ones, publish corrections.

    Does nothing while Redis is away.
    """
    try:
        filled = boards_redis().get(key_of(FILLED))
        if filled is None:
            marked, dropped = mark_all_stale(now), drop_other_timelines()
            boards_redis().set(key_of(FILLED), now.isoformat())
            log.warning("redis_was_empty", boards=marked, keys_of_other_timelines=dropped)
        failures = Failures("board_not_rebuilt", redis.RedisError)  # scores continue all the same
        for board_id in db.session.scalars(
            select(BoardRecord.id)
            .where(BoardRecord.stale_since.is_not(None))
            .order_by(BoardRecord.stale_since, BoardRecord.id)
        ).all():
            with failures.apart(board_id):
                rebuild(board_id, now, only_stale=True)
        corrections.publish(now)
    except redis.RedisError as error:
        log.warning("boards_wait", reason=type(error).__name__)
    finally:
        db.session.rollback()


def mark_all_stale(now: datetime) -> int:
    """Mark every board that is not archived and commit; return how many were not marked yet."""
    ids = db.session.scalars(
        text(
            "UPDATE boards SET stale_since = :now WHERE id IN (SELECT id FROM boards"
            " WHERE archived_at IS NULL AND stale_since IS NULL ORDER BY id FOR UPDATE) RETURNING "
            "id"
        ),
        {"now": now},
    ).all()
    db.session.commit()
    return len(ids)
