"""Queues, the names of the jobs, and how a job is sent off.

Jobs are named by string so that services never import workers; a test imports every name.
"""

from __future__ import annotations

from typing import Any

from rq import Queue, Retry
from rq.job import Job

from app.core.redis import jobs_redis

INGEST_QUEUE = "ingest"  # the record: short, in a hurry
BOARDS_QUEUE = "boards"  # refreshing what members see
UPKEEP_QUEUE = "upkeep"  # what may wait: the archive
QUEUES = (INGEST_QUEUE, BOARDS_QUEUE, UPKEEP_QUEUE)  # in order of priority

INGEST_EVENTS = "workers.jobs.ingest_events.run"
APPLY_CORRECTION = "workers.jobs.apply_correction.run"
REFRESH_GAME = "workers.jobs.refresh_game.run"
RECONCILE_BOARDS = "workers.jobs.reconcile_boards.run"
ARCHIVE_STREAM = "workers.jobs.archive_stream.run"
REBALANCE_BOARDS = "workers.jobs.rebalance_boards.run"
RECHECK_SCORES = "workers.jobs.recheck_scores.run"
ARCHIVE_BOARDS = "workers.jobs.archive_boards.run"
REFRESH_SMALL_BOARD = "workers.jobs.refresh_small_board.run"
DELIVER_WEBHOOKS = "workers.jobs.deliver_webhooks.run"
SEND_WEBHOOK = "workers.jobs.send_webhook.run"
TRIM_FEED = "workers.jobs.trim_feed.run"
SETTLE_GAMEWEEKS = "workers.jobs.settle_gameweeks.run"
LOCK_GAMEWEEKS = "workers.jobs.lock_gameweeks.run"
JOB_NAMES = (
    INGEST_EVENTS,
    APPLY_CORRECTION,
    REFRESH_GAME,
    RECONCILE_BOARDS,
    ARCHIVE_STREAM,
    REBALANCE_BOARDS,
    RECHECK_SCORES,
    ARCHIVE_BOARDS,
    REFRESH_SMALL_BOARD,
    DELIVER_WEBHOOKS,
    SEND_WEBHOOK,
    TRIM_FEED,
    SETTLE_GAMEWEEKS,
    LOCK_GAMEWEEKS,
)

RETRY_AFTER_SECONDS = [30, 60, 120]


def send(queue: str, name: str, *args: Any) -> Job:
    """Enqueues a job by name, to be tried again after 30, 60 and 120 s if it fails.

    Call it after the commit that it depends on.
    """
    retry = Retry(max=len(RETRY_AFTER_SECONDS), interval=RETRY_AFTER_SECONDS)
    return _enqueue(queue, name, args, timeout=60, retry=retry)


def send_once(queue: str, name: str, *args: Any, timeout: int) -> Job:
    """Enqueues a job that the sender waits for and sends again itself if it fails or is lost."""
    return _enqueue(queue, name, args, timeout=timeout, retry=None)


def _enqueue(queue: str, name: str, args: tuple[Any, ...], *, timeout: int, retry: Retry | None) -> Job:
    return Queue(queue, connection=jobs_redis()).enqueue(
        name, args=args, job_timeout=timeout, result_ttl=300, failure_ttl=7 * 24 * 3600, retry=retry
    )
