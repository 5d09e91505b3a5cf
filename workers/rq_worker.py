"""An RQ worker that runs jobs in its own process: `python -m workers.rq_worker ingest|refresh|settlement|upkeep`.

Each kind has queues of its own, so that a slow job holds up only its like.
"""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass
from types import FrameType, TracebackType

import structlog
from psycopg.errors import LockNotAvailable, QueryCanceled
from rq import Queue, SimpleWorker
from rq.exceptions import DeserializationError
from rq.job import Job
from rq.registry import StartedJobRegistry
from rq.worker import DequeueStrategy
from sqlalchemy.exc import OperationalError

from app import create_worker_app
from app.core import logging
from app.core.jobs import WORKER_KINDS, JsonSerializer, PermanentFailure
from app.core.redis import connect
from app.core.timeouts import Use
from app.embedded.stack import with_running_stack
from app.settings import Settings
from workers import context, dead_letters
from workers.time_limit import JobTimedOut, TimeLimit

log = structlog.get_logger(__name__)

REDIS_SECONDS = (
    60  # a worker's blocking read of its queue ends before, and its Redis connection is taken for dead after
)


@dataclass(frozen=True)
class Kind:
    """Queues (jobs.WORKER_KINDS) and what its connections to PostgreSQL are for."""

    queues: tuple[str, ...]
    use: Use


KINDS = {
    "ingest": Kind(WORKER_KINDS["ingest"], Use.INGEST),
    "refresh": Kind(WORKER_KINDS["refresh"], Use.REFRESH),
    "settlement": Kind(WORKER_KINDS["settlement"], Use.REFRESH),
    "upkeep": Kind(WORKER_KINDS["upkeep"], Use.UPKEEP),
}


class JobWorker(SimpleWorker):
    """RQ's, with our time limit; what fails for a known reason is one line in the log, not a traceback."""

    death_penalty_class = TimeLimit

    def handle_exception(
        self, job: Job, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        said: dict[str, object] = {"job_id": job.id, "queue": job.origin}
        if isinstance(error, DeserializationError):
            # Nothing is lost with it. The bridge commits offsets only after ingestion, and gives the messages of a
            # failed job to another one; refreshes and what runs by the clock are asked for again.
            log.error("job_refused", reason=str(error.__cause__ or error), **said)
            return
        said["job"] = job.func_name
        dead_letters.after_failure(job, error)
        if isinstance(error, JobTimedOut):
            log.error("job_timed_out", reason=str(error), **said)
        elif isinstance(error, PermanentFailure):
            log.error("job_refused", reason=str(error), **said)
        elif isinstance(error, OperationalError) and isinstance(error.orig, LockNotAvailable | QueryCanceled):
            log.error("job_gave_up", reason=str(error.orig).splitlines()[0], **said)
        else:
            log.error("job_failed", exc_info=(kind, error, trace), **said)

    def handle_job_success(self, job: Job, queue: Queue, started_job_registry: StartedJobRegistry) -> None:
        super().handle_job_success(job, queue, started_job_registry)
        dead_letters.after_success(job)


def make_worker(kind: Kind, settings: Settings) -> JobWorker:
    return JobWorker(
        list(kind.queues),
        connection=connect(settings.redis_url),  # RQ makes the socket timeout longer than its blocking read
        serializer=JsonSerializer,
        worker_ttl=REDIS_SECONDS,
        job_monitoring_interval=5,
    )


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def main(arguments: list[str]) -> None:
    if len(arguments) != 1 or arguments[0] not in KINDS:
        sys.exit(f"Name one kind of worker: python -m workers.rq_worker {'|'.join(KINDS)}")
    # RQ's own handlers come only after the worker is registered: whoever asks it to end before then is heard too.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    kind = KINDS[arguments[0]]
    settings = with_running_stack(Settings.from_env())
    logging.configure(settings.log_level, f"worker-{arguments[0]}")
    context.use(create_worker_app(settings, kind.use))
    worker = make_worker(kind, settings)
    try:
        worker.work(logging_level="WARNING", dequeue_strategy=DequeueStrategy.ROUND_ROBIN)
    except SystemExit:
        worker.teardown()
        raise


if __name__ == "__main__":
    main(sys.argv[1:])
