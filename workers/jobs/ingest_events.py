"""Job: ingest partitions of one poll, then request refreshes of the tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import structlog
from flask import current_app

from app.core import clock, jobs
from app.fantasy.gameweeks import refreshing
from app.fantasy.scoring.points import store_player_points
from app.predictions.matches import own_record
from app.record.ingest import Outcome, ingest_batch
from app.record.jobs import APPLY_CORRECTION
from app.settings import Settings
from app.stream.messages import Message
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run(messages: list[list[Any]], more: bool = False) -> dict[str, int]:
    """Ingest messages (`Message.to_json`), which are in offset order within a partition.

    `more` says whether others are waiting behind them. Running twice changes nothing.
    """
    taken = [Message.from_json(message) for message in messages]
    outcome = ingest(taken, current_app.config["PRESSBOX"])
    # Ask even if nothing was new, because the previous run may have been killed right here.
    games = refreshing.due(outcome.games, catching_up=more)
    refreshing.ask_for_games(games)
    own_record.ask_for_games(games)
    for message in outcome.deferred:
        jobs.send(APPLY_CORRECTION, message.to_json())
    log.info(
        "ingested",
        offsets=_offsets(taken),
        games=",".join(outcome.games),
        inserted=outcome.inserted,
        corrected=outcome.corrected,
        seen=outcome.duplicates,
        dead=outcome.dead,
        deferred=len(outcome.deferred),
    )
    return {
        "inserted": outcome.inserted,
        "corrected": outcome.corrected,
        "seen": outcome.duplicates,
        "dead": outcome.dead,
    }


def _offsets(messages: Iterable[Message]) -> str:
    """Return the first and last offset by partition, such as `0:17-31,3:4-4`."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for message in messages:
        first.setdefault(message.partition, message.offset)
        last[message.partition] = message.offset
    return ",".join(f"{partition}:{first[partition]}-{last[partition]}" for partition in first)


def ingest(
    messages: list[Message], settings: Settings, wait: Callable[[float], object] = time.sleep
) -> Outcome:
    """Ingest the messages.

    Messages that depend on a missing event are tried again a few times (PRODUCT A10). Those that
    still depend on one afterwards stay in `deferred`.
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
        outcome.duplicates += later.duplicates
        outcome.deferred = later.deferred
    return outcome
