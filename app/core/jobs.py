"""Queues, types of jobs, and how a job is enqueued.

The types are in the `jobs.py` of each subject. They name their function by string so that services
never import workers; a test imports every name. Arguments and results are JSON, so data in Redis
cannot run code here.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import redis
from rq import Queue, Retry
from rq.exceptions import NoSuchJobError
from rq.job import Job, JobStatus

from app.core.redis.clients import jobs_redis
from app.core.restore_epoch import epoch, key_of

# Queues that must not wait for each other have separate workers (WORKER_KINDS,
# workers/rq_worker.py).
INGEST_QUEUE = "ingest"  # the record: short and urgent
BOARDS_QUEUE = "boards"  # refreshes members' pages: the more members, the longer
WEBHOOKS_QUEUE = "webhooks"  # waits for other people's servers
NOTICES_QUEUE = "notices"  # waits for push services and the mail server
UPKEEP_QUEUE = "upkeep"  # may wait: the archive, mail, the slow layers of the anti-cheat
OPERATIONS_QUEUE = "operations"  # an operator's drills and replays: some take hours
# points of predictions: a statement may touch a million members
SETTLEMENT_QUEUE = "settlement"
DRAFTS_QUEUE = "drafts"  # clocks of drafts that nobody watches: a late one begins again
PROVIDERS_QUEUE = "providers"  # waits for the servers of data providers
QUEUES = (
    INGEST_QUEUE,
    BOARDS_QUEUE,
    WEBHOOKS_QUEUE,
    NOTICES_QUEUE,
    UPKEEP_QUEUE,
    SETTLEMENT_QUEUE,
    DRAFTS_QUEUE,
    PROVIDERS_QUEUE,
    OPERATIONS_QUEUE,
)
# The queues of each kind of worker, taken in turns.
WORKER_KINDS = {
    "ingest": (INGEST_QUEUE,),
    "refresh": (BOARDS_QUEUE,),
    "settlement": (SETTLEMENT_QUEUE,),
    "drafts": (DRAFTS_QUEUE,),
    "webhooks": (WEBHOOKS_QUEUE, NOTICES_QUEUE),
    "providers": (PROVIDERS_QUEUE,),
    "operations": (OPERATIONS_QUEUE,),
    "upkeep": (UPKEEP_QUEUE,),
}

RETRY_AFTER_SECONDS = [30, 60, 120]
RESULT_SECONDS = 300
FAILURE_SECONDS = 7 * 24 * 3600
WAITING_KEY_SECONDS = 24 * 3600
TIMELINE = "timeline"  # in a job's meta: the database's timeline in which it was sent


@dataclass(frozen=True)
class JobType:
    """A kind of job.

    Attributes:
        name: The path of the function that a worker calls. Redis stores it, so a job that was
            queued before an update must still find its function afterwards.
        queue: One of QUEUES.
        every_seconds: How long the scheduler waits before it sends it again; None if it never
            sends it. There is no fixed hour: all are due when the scheduler starts.
    """

    name: str
    queue: str
    every_seconds: int | None = None


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
                "not JSON: it was queued by an older Pressbox or another program"
            ) from error


def queue(name: str, connection: redis.Redis | None = None) -> Queue:
    """Return the queue, in the application's Redis or on this connection."""
    return Queue(name, connection=connection or jobs_redis(), serializer=JsonSerializer)


def send(job_type: JobType, *args: Any, timeout: int = 60, job_id: str | None = None) -> Job:
    """Enqueue a job, with retries after 30, 60 and 120 seconds; then it is a dead letter.

    Call it after the commit that the job depends on. The scheduler (workers/schedule.py) enqueues
    the retries.

    Args:
        job_type: Names the function and the queue.
        args: JSON values.
        timeout: Seconds that the job may take.
        job_id: For a sender who wants to find the job in Redis again.
    """
    retry = Retry(max=len(RETRY_AFTER_SECONDS), interval=RETRY_AFTER_SECONDS)
    return queue(job_type.queue).enqueue(
        job_type.name,
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
    job_queue = queue(job.origin)
    if job_queue.connection.lpos(job_queue.key, job_id) is not None:
        return True
    if job_queue.connection.zscore(job_queue.scheduled_job_registry.key, job_id) is not None:
        return True
    began, status = job.started_at, job.get_status(refresh=False)
    if status != JobStatus.STARTED or began is None:
        return False
    return (datetime.now(UTC) - began.replace(tzinfo=UTC)).total_seconds() < float(job.timeout or 0)


def send_once(job_type: JobType, *args: Any, timeout: int) -> Job:
    """Enqueue a job without retries, for a sender that waits for it or sends it again itself.

    A job that no worker begins within `timeout` seconds is dropped, so that a queue without workers
    does not grow.
    """
    return queue(job_type.queue).enqueue(
        job_type.name, args=args, job_timeout=timeout, ttl=timeout, meta=_of_timeline(), **_KEPT
    )


def send_at(job_type: JobType, at: datetime) -> None:
    """Have the scheduler (workers/schedule.py) enqueue the job at that time, within seconds.

    Only for jobs that are also scheduled at intervals: if Redis is away, their next run does it.
    """
    at = at.replace(microsecond=0) + timedelta(seconds=1)  # Redis holds whole seconds
    with suppress(redis.RedisError):
        queue(job_type.queue).enqueue_at(
            at,
            job_type.name,
            # once, whoever asks for it
            job_id=f"{job_type.name.replace('.', '-')}-{at.timestamp():.0f}",
            meta=_of_timeline(),
            **_KEPT,
        )


def send_coalesced(
    job_type: JobType,
    key: str,
    *args: Any,
    timeout: int,
    connection: redis.Redis | None = None,
) -> bool:
    """Enqueue the job unless one of this type and key is already queued.

    In both cases a job begins after this call, so it reads what was committed before: call it after
    the commit. At most one job is queued, whether another one runs meanwhile or not.

    Args:
        job_type: Names the function and the queue.
        key: Jobs of one type and key are coalesced.
        args: JSON values.
        timeout: Seconds that the job may take.
        connection: For a process without PostgreSQL. Its jobs name no row, and belong to every
            restore epoch.

    Returns:
        Whether the job was enqueued.
    """
    target = queue(job_type.queue, connection)
    mark = f"pressbox:waiting:{job_type.name}:{key}"
    meta = None
    if connection is None:
        mark, meta = key_of(mark), _of_timeline()
    job_id = uuid4().hex
    with target.connection.pipeline() as pipeline:
        # The mark only names the last job that was sent. The queue itself says whether that job
        # still waits, so nothing needs to be undone if a worker is killed with the job.
        pipeline.watch(mark)
        last: Any = pipeline.get(mark)
        if last is not None and pipeline.lpos(target.key, last) is not None:
            return False
        pipeline.multi()
        target.enqueue(
            job_type.name,
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
            return False  # somebody else has sent one in the meantime
    return True


def forget_waiting(job: Job) -> None:
    """Remove a job that nobody waits for any more from its queue. A running job continues."""
    jobs_redis().lrem(queue(job.origin).key, 1, job.id)


def is_lost(job: Job) -> bool:
    """Whether the job was sent before a restore, so that its rows may have changed or be gone."""
    return bool((job.meta or {}).get(TIMELINE, epoch()) != epoch())


def _of_timeline() -> dict[str, int]:
    return {TIMELINE: epoch()}


_KEPT: dict[str, Any] = {"result_ttl": RESULT_SECONDS, "failure_ttl": FAILURE_SECONDS}
