"""The process that enqueues scheduled jobs: `python -m workers.schedule`.

It also puts failed jobs back into their queues when a retry is due. Workers do not, because RQ
would do it in a child process that outlives a killed worker. RQ's cron is not used, because it
pickles arguments and enqueues a job again while the previous one still waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import redis
import structlog
from rq.scheduler import RQScheduler

from app.core import jobs
from app.core.redis.connections import connect
from app.embedded.stack import with_running_stack
from app.ops import work as noted
from app.setting_reading import settings_from_env
from app.subjects import job_types
from workers.process import Process, Progress, progress

log = structlog.get_logger(__name__)

JOB_SECONDS = 900  # a first archive run reads a whole week of the topic
RETRY_SECONDS = 1.0
LOOK_SECONDS = 5.0  # between two checks for due retries

SCHEDULE = [job_type for job_type in job_types() if job_type.every_seconds is not None]


class Clock:
    """Knows when each scheduled job is due next, in monotonic seconds.

    All are due at first. Their second runs are spread over their periods, so that they do not
    always come together, each with a connection of its own.
    """

    def __init__(self) -> None:
        self.next = {job_type.name: 0.0 for job_type in SCHEDULE}

    def send_due(self, connection: redis.Redis, now: float) -> float:
        """Enqueue due jobs, except those whose previous run still waits.

        Returns when the next job is due. Raises RedisError.
        """
        for number, job_type in enumerate(SCHEDULE, start=1):
            seconds, due = job_type.every_seconds, self.next[job_type.name]
            if seconds is not None and due <= now:
                jobs.send_coalesced(job_type, "clock", timeout=JOB_SECONDS, connection=connection)
                is_first = due == 0.0
                share_of_period = number / len(SCHEDULE) if is_first else 1
                self.next[job_type.name] = now + share_of_period * seconds
                connection.hset(
                    noted.SCHEDULE, job_type.name, f"{job_type.queue} {seconds} {time.time():.1f}"
                )
        return min(self.next.values())


def retrying(connection: redis.Redis) -> Callable[[], None]:
    """Return a function that puts failed jobs whose retry is due back into their queues.

    It raises redis.RedisError. Each job is moved in one transaction. If two processes do it at
    once, a job may be enqueued twice, which jobs tolerate.
    """
    scheduler = RQScheduler(
        jobs.QUEUES, connection, logging_level="WARNING", serializer=jobs.JsonSerializer
    )
    scheduler.prepare_registries(jobs.QUEUES)
    return scheduler.enqueue_scheduled_jobs


def work(
    connection: redis.Redis,
    stopping: Callable[[], bool],
    wait: Callable[[float], object],
    progress: Progress = progress,
) -> None:
    """Send scheduled jobs and retries until stopped; wait while Redis is unavailable."""
    clock = Clock()
    retry = retrying(connection)
    retry_at = 0.0
    while not stopping():
        now = time.monotonic()
        progress.begin()
        try:
            if retry_at <= now:
                retry()
                retry_at = now + LOOK_SECONDS
            again = min(clock.send_due(connection, now), retry_at)
        except redis.RedisError as error:
            log.warning("waiting", reason=f"{type(error).__name__}: {error}".splitlines()[0])
            again = time.monotonic() + RETRY_SECONDS
        progress.done()
        wait(max(0.0, again - time.monotonic()))


def run(process: Process, progress: Progress) -> None:
    """Send jobs until stopped."""
    connection = connect(process.settings.redis_url)
    work(connection, process.stopping.is_set, process.stopping.wait, progress)


def main() -> None:
    """Run the scheduler until stopped."""
    run(Process("scheduler", with_running_stack(settings_from_env())), progress)


if __name__ == "__main__":
    main()
