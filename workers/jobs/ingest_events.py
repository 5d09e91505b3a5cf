"""Job: takes one poll of one partition into the record, then has the tables refreshed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import structlog
from flask import current_app

from app.core import clock, jobs
from app.fantasy.gameweeks import refreshing
from app.fantasy.scoring.points import store_player_points
from app.predictions import own_record
from app.record.ingest import Outcome, ingest_batch
from app.settings import Settings
from app.stream.messages import Message
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run(messages: list[list[Any]]) -> dict[str, int]:
    """`messages`: Message.to_json of each, in offset order. Running twice changes nothing."""
    outcome = ingest([Message.from_json(message) for message in messages], current_app.config["PRESSBOX"])
    # Sent even when nothing was new: the run before this one may have died right here.
    refreshing.ask_for_games(outcome.games)
    own_record.ask_for_games(outcome.games)
    for message in outcome.deferred:
        jobs.send(jobs.INGEST_QUEUE, jobs.APPLY_CORRECTION, message.to_json())
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
    """Takes the messages in; one that waits for another event waits a little and looks again (PRODUCT A10).

    What still waits after the last look stays in `deferred`.
    """
    outcome = ingest_batch(messages, clock.now(), store_player_points)
    for _ in range(settings.correction_looks):
        if not outcome.deferred:
            break
        wait(settings.correction_wait_ms / 1000)
        later = ingest_batch(outcome.deferred, clock.now(), store_player_points)
        outcome.inserted += later.inserted
        outcome.dead += later.dead
        outcome.corrected += later.corrected
        outcome.seen += later.seen
        outcome.deferred = later.deferred
    return outcome
