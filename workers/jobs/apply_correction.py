"""Job: a correction that came before its original (PRODUCT A10): tried after 30, 60 and 120 s, then a dead letter."""

from __future__ import annotations

import structlog
from rq import get_current_job

from app.core import clock, jobs
from app.core.db import db
from app.fantasy.scoring.points import store_player_points
from app.record.ingest import ingest_batch
from app.stream.dead_letters import dead_letter
from app.stream.messages import Message
from workers.context import in_app

log = structlog.get_logger(__name__)

REASON = "event: the event that this corrects never came; enter it, then replay this"


class OriginalMissing(Exception):
    """Not there yet: RQ tries again later."""


@in_app
def run(message: tuple[str, int, int, str | None, bytes]) -> None:
    """Running twice changes nothing."""
    outcome = ingest_batch([Message(*message)], clock.now(), store_player_points)
    if outcome.deferred:
        job = get_current_job()
        if job is None or job.retries_left:
            raise OriginalMissing(f"partition {message[1]} offset {message[2]}")
        dead_letter([(outcome.deferred[0], REASON)])
        db.session.commit()
    for game_id in outcome.games:
        jobs.send(jobs.BOARDS_QUEUE, jobs.REFRESH_GAME, game_id)
