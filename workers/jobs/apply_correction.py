"""Job: ingest an event that waits for another one (PRODUCT A10), retried after 30, 60 and 120 s.

After that it becomes a dead letter. A correction waits for its original. An event after a final
score waits for a correction that takes the score back.
"""

from __future__ import annotations

from typing import Any

import structlog
from rq import get_current_job

from app.core import clock
from app.core.db import db
from app.fantasy.gameweeks import refreshing
from app.fantasy.scoring.points import store_player_points
from app.predictions.matches import own_record
from app.record import finality
from app.record.events import Correction, decode
from app.record.ingest import ingest_batch
from app.stream.dead_letters import dead_letter
from app.stream.messages import Message
from workers.context import RedeliverError, in_app

log = structlog.get_logger(__name__)

ORIGINAL_MISSING = "event: the event that this corrects never came; enter it, then replay this"


class StillMissingError(RedeliverError):
    """The other event is not there yet: RQ tries again later."""


@in_app
def run(message: list[Any]) -> None:
    """Running twice changes nothing."""
    outcome = ingest_batch([Message.from_json(message)], clock.now(), store_player_points)
    if outcome.deferred:
        job = get_current_job()
        if job is None or job.retries_left:
            raise StillMissingError(f"partition {message[1]} offset {message[2]}")
        (waiting,) = outcome.deferred
        is_correction = isinstance(decode(waiting.value).body, Correction)
        dead_letter([(waiting, ORIGINAL_MISSING if is_correction else finality.REASON)])
        db.session.commit()
    refreshing.ask_for_games(outcome.games)
    own_record.ask_for_games(outcome.games)
