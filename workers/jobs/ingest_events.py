"""Job: takes one poll of one partition into the record, then has the tables refreshed."""

from __future__ import annotations

import structlog

from app.core import clock, jobs
from app.fantasy.points import store_player_points
from app.record.ingest import Message, ingest_batch
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run(messages: list[tuple[str, int, int, str | None, bytes]]) -> dict[str, int]:
    """`messages`: topic, partition, offset, key and value of each, in offset order. Running twice changes nothing."""
    outcome = ingest_batch([Message(*message) for message in messages], clock.now(), store_player_points)
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
