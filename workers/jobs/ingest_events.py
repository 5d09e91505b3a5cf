"""Job: takes one poll of one partition into the record, then has the tables refreshed."""

from __future__ import annotations

import time
from collections.abc import Callable

import structlog
from flask import current_app

from app.core import clock, jobs
from app.fantasy.scoring.points import store_player_points
from app.record.ingest import Outcome, ingest_batch
from app.settings import Settings
from app.stream.messages import Message
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run(messages: list[tuple[str, int, int, str | None, bytes]]) -> dict[str, int]:
    """`messages`: topic, partition, offset, key and value of each, in offset order. Running twice changes nothing."""
    outcome = ingest([Message(*message) for message in messages], current_app.config["PRESSBOX"])
    # Sent even when nothing was new: the run before this one may have died right here.
    for game_id in outcome.games:
        jobs.send(jobs.BOARDS_QUEUE, jobs.REFRESH_GAME, game_id)
    for message in outcome.deferred:
        jobs.send(jobs.INGEST_QUEUE, jobs.APPLY_CORRECTION, message.as_tuple())
    log.info(
        "ingested",
        partition=messages[0][1],
        first_offset=messages[0][2],
        last_offset=messages[-1][2],
        games=",".join(outcome.games),
        inserted=outcome.inserted,
        corrected=outcome.corrected,
        seen=outcome.seen,
        dead=outcome.dead,
        deferred=len(outcome.deferred),
    )
    return {"inserted": outcome.inserted, "corrected": outcome.corrected, "seen": outcome.seen, "dead": outcome.dead}


def ingest(messages: list[Message], settings: Settings, wait: Callable[[float], object] = time.sleep) -> Outcome:
    """Takes the messages in; a correction whose original is missing waits a little and looks again (PRODUCT A10).

    What is still missing after the last look stays in `deferred`. Without corrections nothing ever waits.
    """
    outcome = ingest_batch(messages, clock.now(), store_player_points)
    for _ in range(settings.correction_looks):
        if not outcome.deferred:
            break
        wait(settings.correction_wait_ms / 1000)
        later = ingest_batch(outcome.deferred, clock.now(), store_player_points)
        outcome.corrected += later.corrected
        outcome.seen += later.seen
        outcome.deferred = later.deferred
    return outcome
