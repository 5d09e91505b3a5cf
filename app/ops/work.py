"""Whether work gets done: the outcomes of jobs and how long they wait, noted in Redis.

This notes outcomes and judges queues; health.py has the list of parts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import redis
from rq import Queue, Worker
from rq.job import Job
from rq.utils import utcparse

from app.core import jobs

# By scheduled job: queue, seconds between two runs, when it was sent last.
SCHEDULE = "pressbox:schedule"
OUTCOMES = "pressbox:outcomes:{}"  # by queue: the latest outcomes of jobs, the newest first
KEPT = 40
LATELY_SECONDS = 300.0
FEWEST_FAILURES = 3
# How long a job may wait for a worker before its queue counts as down.
LONGEST_WAIT_SECONDS = {
    jobs.INGEST_QUEUE: 60.0,
    jobs.BOARDS_QUEUE: 120.0,
    jobs.SETTLEMENT_QUEUE: 120.0,
    jobs.DRAFTS_QUEUE: 60.0,
    jobs.WEBHOOKS_QUEUE: 300.0,
    jobs.OPERATIONS_QUEUE: 4 * 3600.0,  # one drill after the other
}
LONGEST_WAIT_ELSE = 1800.0  # archives may wait for each other
STUCK_SECONDS = 90.0  # in which a consumer with messages has to finish one


@dataclass(frozen=True)
class Outcome:
    """A run of a job; `error` is the exception's name, empty if it succeeded."""

    job: str
    at: float
    error: str

    @classmethod
    def parse(cls, raw: bytes) -> Outcome:
        """Parse what Redis holds."""
        job, at, error = raw.decode().split(" ", 2)
        return cls(job, float(at), error)


def note_outcome(connection: redis.Redis, queue: str, job: str, error: str) -> None:
    """Store how a run ended; `error` is empty if it succeeded. Raises redis errors."""
    key = OUTCOMES.format(queue)
    with connection.pipeline(transaction=False) as pipeline:
        pipeline.lpush(key, f"{job} {time.time():.1f} {error}")
        pipeline.ltrim(key, 0, KEPT - 1)
        pipeline.expire(key, int(2 * LATELY_SECONDS))
        pipeline.execute()


def failing_job(outcomes: list[Outcome], now: float) -> str:
    """Describe the job that fails; empty if none does.

    A job fails if its newest run failed and, of its runs within the last five minutes, the last
    three failed or at least half of all and at least three. After a success it is healthy again,
    because the store that did not answer is back.
    """
    lately = [outcome for outcome in outcomes if now - outcome.at <= LATELY_SECONDS]
    for job in dict.fromkeys(outcome.job for outcome in lately):
        runs = [outcome for outcome in lately if outcome.job == job]
        failed = [outcome for outcome in runs if outcome.error]
        last_failed = all(outcome.error for outcome in runs[:FEWEST_FAILURES])
        if (
            runs[0].error
            and len(failed) >= FEWEST_FAILURES
            and (last_failed or 2 * len(failed) >= len(runs))
        ):
            return f"{job} failed {len(failed)} of {len(runs)} times recently ({failed[0].error})"
    return ""


def oldest_wait(queue: Queue, now: float) -> float:
    """Return the seconds that the first job of the queue has waited; 0 if none waits."""
    for job_id in queue.get_job_ids(0, 1):
        enqueued_at = queue.connection.hget(Job.key_for(job_id), "enqueued_at")
        if isinstance(enqueued_at, bytes):
            return max(0.0, now - utcparse(enqueued_at.decode()).timestamp())
    return 0.0


def workers_of(connection: redis.Redis, queue: str) -> int:
    """Count the live workers that take jobs from the queue. Raises redis errors."""
    return len(Worker.all(connection=connection, queue=Queue(queue, connection=connection)))


def trouble(connection: redis.Redis, name: str) -> str:
    """Describe what is wrong with a queue; empty if its jobs are done. Raises redis errors."""
    now = time.time()
    raw: list[bytes] = connection.lrange(OUTCOMES.format(name), 0, -1)  # type: ignore[assignment]
    if failing := failing_job([Outcome.parse(line) for line in raw], now):
        return failing
    waited = oldest_wait(Queue(name, connection=connection), now)
    if waited > LONGEST_WAIT_SECONDS.get(name, LONGEST_WAIT_ELSE):
        return f"the oldest job has waited for {waited:.0f} s"
    return ""
