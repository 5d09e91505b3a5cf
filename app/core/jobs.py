"""Queues, the names of the jobs, and how a job is enqueued.

Jobs are named by string so that services never import workers; a test imports every name. Arguments
and results are JSON, so nothing that Redis holds can run code here.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import redis
from rq import Queue, Retry
from rq.exceptions import NoSuchJobError
from rq.job import Job, JobStatus

from app.core.redis.clients import jobs_redis
from app.core.restore_epoch import epoch, key_of

# Queues that must not wait for each other have workers of their own (WORKER_KINDS,
# workers/rq_worker.py).
INGEST_QUEUE = "ingest"  # the record: short, in a hurry
BOARDS_QUEUE = "boards"  # refreshing what members see: as long as there are members
WEBHOOKS_QUEUE = "webhooks"  # waits for other people's servers
NOTICES_QUEUE = "notices"  # waits for push services and the mail server
UPKEEP_QUEUE = "upkeep"  # what may wait: the archive, mail, the slow layers of anti-cheat
OPERATIONS_QUEUE = "operations"  # drills and replays of an operator: hours, some of them
# the points of predictions: a statement may touch a million members
SETTLEMENT_QUEUE = "settlement"
PROVIDERS_QUEUE = "providers"  # waits for the servers of data providers
QUEUES = (
    INGEST_QUEUE,
    BOARDS_QUEUE,
    WEBHOOKS_QUEUE,
    NOTICES_QUEUE,
    UPKEEP_QUEUE,
    SETTLEMENT_QUEUE,
    PROVIDERS_QUEUE,
    OPERATIONS_QUEUE,
)
# By kind of worker: its queues, taken in turns.
WORKER_KINDS = {
    "ingest": (INGEST_QUEUE,),
    "refresh": (BOARDS_QUEUE,),
    "settlement": (SETTLEMENT_QUEUE,),
    "webhooks": (WEBHOOKS_QUEUE, NOTICES_QUEUE),
    "providers": (PROVIDERS_QUEUE,),
    "operations": (OPERATIONS_QUEUE,),
    "upkeep": (UPKEEP_QUEUE,),
}

INGEST_EVENTS = "workers.jobs.ingest_events.run"
APPLY_CORRECTION = "workers.jobs.apply_correction.run"
REFRESH_GAMEWEEK = "workers.jobs.refresh_gameweek.run"
NOTIFY_CORRECTIONS = "workers.jobs.notify_corrections.run"
RECONCILE_BOARDS = "workers.jobs.reconcile_boards.run"
ARCHIVE_STREAM = "workers.jobs.archive_stream.run"
REBALANCE_BOARDS = "workers.jobs.rebalance_boards.run"
RECHECK_SCORES = "workers.jobs.recheck_scores.run"
ARCHIVE_BOARDS = "workers.jobs.archive_boards.run"
DELETE_SCORES = "workers.jobs.delete_scores.run"
REFRESH_SMALL_BOARD = "workers.jobs.refresh_small_board.run"
MEASURE_PERCENTILES = "workers.jobs.measure_percentiles.run"
DELIVER_WEBHOOKS = "workers.jobs.deliver_webhooks.run"
SEND_WEBHOOK = "workers.jobs.send_webhook.run"
DELIVER_NOTICES = "workers.jobs.deliver_notices.run"
SEND_NOTICES = "workers.jobs.send_notices.run"
TRIM_FEED = "workers.jobs.trim_feed.run"
SETTLE_GAMEWEEKS = "workers.jobs.settle_gameweeks.run"
SETTLE_COMPETITIONS = "workers.jobs.settle_competitions.run"
LOCK_GAMEWEEKS = "workers.jobs.lock_gameweeks.run"
SETTLE_MATCHES = "workers.jobs.settle_matches.run"
RECONCILE_PREDICTIONS = "workers.jobs.reconcile_predictions.run"
POLL_PROVIDERS = "workers.jobs.poll_providers.run"
POLL_TOURNAMENT = "workers.jobs.poll_tournament.run"
FETCH_PICTURES = "workers.jobs.fetch_pictures.run"
RUN_OPERATION = "workers.jobs.run_operation.run"
MAIL_RESET = "workers.jobs.mail_reset.run"
MAIL_CONFIRMATION = "workers.jobs.mail_confirmation.run"
SHOW_SANCTIONS = "workers.jobs.show_sanctions.run"
JOB_NAMES = (
    INGEST_EVENTS,
    APPLY_CORRECTION,
    REFRESH_GAMEWEEK,
    NOTIFY_CORRECTIONS,
    RECONCILE_BOARDS,
    ARCHIVE_STREAM,
    REBALANCE_BOARDS,
    RECHECK_SCORES,
    ARCHIVE_BOARDS,
    DELETE_SCORES,
    REFRESH_SMALL_BOARD,
    MEASURE_PERCENTILES,
    DELIVER_WEBHOOKS,
    SEND_WEBHOOK,
    DELIVER_NOTICES,
    SEND_NOTICES,
    TRIM_FEED,
    SETTLE_GAMEWEEKS,
    SETTLE_COMPETITIONS,
    LOCK_GAMEWEEKS,
    SETTLE_MATCHES,
    RECONCILE_PREDICTIONS,
    POLL_PROVIDERS,
    POLL_TOURNAMENT,
    FETCH_PICTURES,
    RUN_OPERATION,
    MAIL_RESET,
    MAIL_CONFIRMATION,
    SHOW_SANCTIONS,
)

RETRY_AFTER_SECONDS = [30, 60, 120]
RESULT_SECONDS = 300
FAILURE_SECONDS = 7 * 24 * 3600
WAITING_KEY_SECONDS = 24 * 3600
TIMELINE = "timeline"  # of a job's meta: the timeline of the database in which it was sent


class JobNotJsonError(ValueError):
    """A job or result that is not JSON, as before 2026; it is refused and never unpickled."""


class PermanentJobError(Exception):
    """A retry cannot help: the job becomes a dead letter at once."""


class JsonSerializer:
    """How RQ encodes what it keeps in Redis: JSON, so tuples come back as lists."""

    @staticmethod
    def dumps(value: Any) -> bytes:
        """Encode a value. Raises TypeError."""
        return json.dumps(value).encode()

    @staticmethod
    def loads(data: bytes) -> Any:
        """Decode a value. Raises JobNotJsonError."""
        try:
            return json.loads(data.decode())
        except ValueError as error:
            raise JobNotJsonError(
                "not JSON: an older Pressbox or somebody else queued it"
            ) from error


def queue(name: str, connection: redis.Redis | None = None) -> Queue:
    """The queue, in the application's Redis or on this connection."""
    return Queue(name, connection=connection or jobs_redis(), serializer=JsonSerializer)


def send(
    queue_name: str, name: str, *args: Any, timeout: int = 60, job_id: str | None = None
) -> Job:
    """Enqueue a job by name, with retries after 30, 60 and 120 seconds; then it is a dead letter.

    Call it after the commit that the job depends on. The scheduler (workers/schedule.py) enqueues
    the retries.

    Args:
        queue_name: One of QUEUES.
        name: One of JOB_NAMES.
        args: JSON values.
        timeout: Seconds that the job may take.
        job_id: For a sender who wants to find the job in Redis again.
    """
    retry = Retry(max=len(RETRY_AFTER_SECONDS), interval=RETRY_AFTER_SECONDS)
    return queue(queue_name).enqueue(
        name,
        args=args,
        job_timeout=timeout,
        job_id=job_id,
        retry=retry,
        meta=_of_timeline(),
        **_KEPT,
    )


def is_in_hand(job_id: str) -> bool:
    """Whether the job is queued, waits for a retry, or runs.

    A job that began longer ago than its timeout does not run any more: its worker was killed.
    Raises redis.RedisError.
    """
    try:
        job = Job.fetch(job_id, connection=jobs_redis(), serializer=JsonSerializer)
    except NoSuchJobError:
        return False
    held = queue(job.origin)
    if held.connection.lpos(held.key, job_id) is not None:
        return True
    if held.connection.zscore(held.scheduled_job_registry.key, job_id) is not None:
        return True
    began, status = job.started_at, job.get_status(refresh=False)
    if status != JobStatus.STARTED or began is None:
        return False
    return (datetime.now(UTC) - began.replace(tzinfo=UTC)).total_seconds() < float(job.timeout or 0)


def send_once(queue_name: str, name: str, *args: Any, timeout: int) -> Job:
    """Enqueue a job without retries, for a sender that waits for it or sends it again itself.

    A job that no worker begins within `timeout` seconds is dropped, so that a queue without workers
    does not grow.
    """
    return queue(queue_name).enqueue(
        name, args=args, job_timeout=timeout, ttl=timeout, meta=_of_timeline(), **_KEPT
    )


def send_coalesced(
    queue_name: str,
    name: str,
    key: str,
    *args: Any,
    timeout: int,
    connection: redis.Redis | None = None,
) -> bool:
    """Enqueue the job unless one of this name and key is already queued.

    In both cases a job begins after this call, so it reads what was committed before: call it after
    the commit. At most one job is queued, whether another one runs meanwhile or not.

    Args:
        queue_name: One of QUEUES.
        name: One of JOB_NAMES.
        key: Jobs of one name and key are coalesced.
        args: JSON values.
        timeout: Seconds that the job may take.
        connection: For a process without PostgreSQL. Its jobs name no row, and belong to every
            restore epoch.

    Returns:
        Whether the job was enqueued.
    """
    target = queue(queue_name, connection)
    mark = f"pressbox:waiting:{name}:{key}"
    meta = None
    if connection is None:
        mark, meta = key_of(mark), _of_timeline()
    job_id = uuid4().hex
    with target.connection.pipeline() as pipeline:
        # The mark only names the job that was sent last. Whether that one waits is asked of the
        # queue itself, so a worker killed with the job in hand, or before it said anything, leaves
        # nothing behind that must be undone.
        pipeline.watch(mark)
        last: Any = pipeline.get(mark)
        if last is not None and pipeline.lpos(target.key, last) is not None:
            return False
        pipeline.multi()
        target.enqueue(
            name,
            args=args,
            job_id=job_id,
            job_timeout=timeout,
            pipeline=pipeline,
            meta=meta,
            **_KEPT,
        )
        pipeline.set(mark, job_id, ex=WAITING_KEY_SECONDS)
        try:
            pipeline.execute()
        except redis.WatchError:
            return False  # somebody else has sent one since we looked
    return True


def forget_waiting(job: Job) -> None:
    """Remove a job that nobody waits for any more from its queue; a running one goes on."""
    jobs_redis().lrem(queue(job.origin).key, 1, job.id)


def is_lost(job: Job) -> bool:
    """Whether the job was sent before a restore, so that what it names may have changed or gone."""
    return bool((job.meta or {}).get(TIMELINE, epoch()) != epoch())


def _of_timeline() -> dict[str, int]:
    return {TIMELINE: epoch()}


_KEPT: dict[str, Any] = {"result_ttl": RESULT_SECONDS, "failure_ttl": FAILURE_SECONDS}
