"""An RQ worker that runs jobs in its own process: `python -m workers.rq_worker ingest`.

Each of KINDS has its own queues, so that a slow job delays only its kind. Kinds that mostly wait
for other people's servers may share a process: `python -m workers.rq_worker upkeep providers
webhooks webhooks` runs upkeep in its main thread and the others in a thread each. So may the
PARTS, which are processes of their own in production: `python -m workers.rq_worker ingest relay`.

This module adds what RQ lacks: a time limit that also cancels the statement in PostgreSQL, workers
in threads, returning a running job to its queue on SIGTERM, dropping jobs from before a restore,
and one log line instead of a traceback for known failures. Retries, registries and queue
maintenance are RQ's.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import FrameType, TracebackType
from typing import Any

import redis
import structlog
from psycopg.errors import LockNotAvailable, QueryCanceled
from rq import Queue, SimpleWorker
from rq.exceptions import DeserializationError, StopRequested
from rq.job import Job, JobStatus
from rq.registry import StartedJobRegistry
from rq.timeouts import BaseDeathPenalty
from rq.worker import RoundRobinWorker
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from app import create_worker_app
from app.core import jobs
from app.core.errors import one_line
from app.core.jobs import WORKER_KINDS, JsonSerializer, PermanentJobError
from app.core.postgres.timeouts import Use
from app.core.redis.connections import connect
from app.embedded.stack import with_running_stack
from app.setting_reading import settings_from_env
from app.settings import Settings
from workers import bridge, context, dead_letters, relay, schedule, verifier, watch
from workers.process import Process, Progress
from workers.supervisor import autoscale
from workers.time_limit import (
    JobReturned,
    JobTimedOut,
    ThreadTimeLimit,
    TimeLimit,
    give_back_after,
    raise_in,
)

log = structlog.get_logger(__name__)

NICENESS = 5  # on a busy machine pages and entries come first, and jobs become fewer and larger
REDIS_SECONDS = (
    # a worker's blocking read of its queue is shorter, the timeout of its Redis connection longer
    60
)
GIVE_BACK_SECONDS = 12.0  # of the 20 s within which every process must end after SIGTERM
RETURN_SECONDS = 4.0  # after that, for a job in a thread to be returned
RETRY_SECONDS = 1.0


@dataclass(frozen=True)
class Kind:
    """A kind of worker: its queues (jobs.WORKER_KINDS), and the use of its connections."""

    queues: tuple[str, ...]
    use: Use


KINDS = {
    "ingest": Kind(WORKER_KINDS["ingest"], Use.INGEST),
    "refresh": Kind(WORKER_KINDS["refresh"], Use.REFRESH),
    "settlement": Kind(WORKER_KINDS["settlement"], Use.REFRESH),
    "drafts": Kind(WORKER_KINDS["drafts"], Use.UPKEEP),
    "webhooks": Kind(WORKER_KINDS["webhooks"], Use.UPKEEP),
    "providers": Kind(WORKER_KINDS["providers"], Use.UPKEEP),
    "operations": Kind(WORKER_KINDS["operations"], Use.UPKEEP),
    "upkeep": Kind(WORKER_KINDS["upkeep"], Use.UPKEEP),
}


PARTS: dict[str, Callable[[Process, Progress], None]] = {
    "relay": relay.run,
    "bridge": bridge.run,
    "scheduler": schedule.run,
    "verifier": verifier.run,
    "watch": watch.run,
    "autoscale": autoscale.run,
}


class JobWorker(SimpleWorker, RoundRobinWorker):
    """RQ's worker with our time limit.

    A job that fails for a known reason gets one line in the log instead of a traceback.
    """

    death_penalty_class: type[BaseDeathPenalty] = TimeLimit
    returned: str | None = None  # the job that was returned when this worker was told to end
    beside: Sequence[ThreadWorker] = ()
    host_process: Process | None = None
    ends_at = 0.0  # monotonic time, set once the worker is told to end

    def procline(self, message: str) -> None:
        """Keep the process's title: its kinds say more than the job of the moment."""

    def subscribe(self) -> None:
        """Take no commands of RQ. Nobody sends any, and they would need a thread per worker."""

    def run(self) -> None:
        """Work until told to end, and wait while Redis is away.

        RQ's own `work` ends if Redis fails anywhere but in the read of its queues, and with it
        everything else in this process would end.
        """
        try:
            self.bootstrap("WARNING")
            while not self._stop_requested:
                try:
                    self._work_once()
                except redis.RedisError as error:
                    log.warning("waiting", reason=one_line(error))
                    time.sleep(RETRY_SECONDS)  # Redis is away: there is nothing to wait on
        except StopRequested:
            pass  # told to end while it had no job
        finally:
            self.teardown()

    def take_no_more(self) -> None:
        """Take no further jobs."""
        self._stop_requested = True

    def _work_once(self) -> None:
        self.check_for_suspension(burst=False)
        if self.should_run_maintenance_tasks:
            self.run_maintenance_tasks()
        job_and_queue = self.dequeue_job_and_maintain_ttl(self.dequeue_timeout)
        if job_and_queue is not None:
            self.execute_job(*job_and_queue)
            self.heartbeat()

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run the job, or drop it if it is from before a restore: the scheduler sends it again."""
        if _is_lost(job):
            log.warning(
                "job_of_another_timeline", job=job.func_name, job_id=job.id, queue=job.origin
            )
            queue.intermediate_queue.remove(job.id)
            job.delete(remove_from_queue=False)
            return
        super().execute_job(job, queue)

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """On SIGTERM, give the job GIVE_BACK_SECONDS to finish before it goes back to its queue."""
        self.ends_at = time.monotonic() + GIVE_BACK_SECONDS
        if self.host_process is not None:
            self.host_process.stop(signum, frame)
        for worker in self.beside:
            worker.take_no_more()
        super().request_stop(signum, frame)  # raises if no job is running
        give_back_after(GIVE_BACK_SECONDS)

    def handle_job_failure(self, job: Job, queue: Queue, *details: Any, **more: Any) -> None:
        """Put an interrupted job at the front of its queue, and leave other failures to RQ."""
        if self.returned != job.id:
            super().handle_job_failure(job, queue, *details, **more)
            return
        with self.connection.pipeline() as pipeline:
            self.cleanup_execution(job, pipeline=pipeline)
            job.set_status(JobStatus.QUEUED, pipeline=pipeline)
            queue.push_job_id(job.id, pipeline=pipeline, at_front=True)
            pipeline.execute()

    def handle_exception(
        self, job: Job, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Log the failure, and keep a dead letter after the last try."""
        details: dict[str, object] = {"job_id": job.id, "queue": job.origin}
        if isinstance(error, JobReturned):
            self.returned = job.id
            log.warning("job_given_back", job=job.func_name, **details)
            return
        if isinstance(error, DeserializationError):
            # No work is lost. The bridge commits offsets only after ingestion, and puts the
            # messages of a failed job into another one. Refreshes and scheduled jobs are enqueued
            # again.
            log.error("job_refused", reason=str(error.__cause__ or error), **details)
            return
        details["job"] = job.func_name
        dead_letters.after_failure(job, error)
        if isinstance(error, JobTimedOut):
            log.error("job_timed_out", reason=str(error), **details)
        elif isinstance(error, PermanentJobError):
            log.error("job_refused", reason=str(error), **details)
        elif isinstance(error, OperationalError) and isinstance(
            error.orig, LockNotAvailable | QueryCanceled
        ):
            log.error("job_gave_up", reason=str(error.orig).splitlines()[0], **details)
        else:
            log.error("job_failed", exc_info=(kind, error, trace), **details)

    def handle_job_success(
        self, job: Job, queue: Queue, started_job_registry: StartedJobRegistry
    ) -> None:
        """Let RQ account for the success, then close the job's dead letter, if any."""
        super().handle_job_success(job, queue, started_job_registry)
        dead_letters.after_success(job)


def _is_lost(job: Job) -> bool:
    """Whether the job was enqueued before a restore.

    False while PostgreSQL is unavailable: the job fails by itself and is checked at its next try.
    """
    try:
        with context.application().app_context():
            return jobs.is_lost(job)
    except SQLAlchemyError:
        return False


class ThreadWorker(JobWorker):
    """A worker in a thread. The main worker of the process ends it."""

    death_penalty_class = ThreadTimeLimit

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._at_work = threading.Lock()
        self._thread = threading.Thread(
            target=self._run, name=f"worker-{self.queue_names()[0]}", daemon=True
        )

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def _run(self) -> None:
        try:
            self.run()
        except Exception:
            log.exception("worker_thread_broke", queues=",".join(self.queue_names()))
        finally:
            if not self._stop_requested:  # end the whole process, so that it is restarted
                os.kill(os.getpid(), signal.SIGTERM)

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run the job while holding the lock that `is_idle` waits for."""
        with self._at_work:
            super().execute_job(job, queue)

    def is_idle(self, at: float) -> bool:
        """Wait until `at` for its job to end. If it has, no other job can begin."""
        return self._at_work.acquire(timeout=max(0.0, at - time.monotonic()))

    def give_back(self) -> None:
        """Interrupt its job with JobReturned at the next line of Python."""
        raise_in(self._thread, JobReturned)


def end_beside(workers: Sequence[ThreadWorker], at: float) -> None:
    """End these workers. Each may finish its job until `at`, and then returns it to its queue.

    A job that still waits for a store RETURN_SECONDS later is abandoned, and its connections are
    closed with the process. All workers are unregistered here, because idle ones are in a blocking
    read and cannot do it themselves.
    """
    for worker in workers:
        worker.take_no_more()
    busy = [worker for worker in workers if not worker.is_idle(at)]
    for worker in busy:
        worker.give_back()
    for worker in busy:
        if not worker.is_idle(at + RETURN_SECONDS):
            log.warning("job_cut_off", queues=",".join(worker.queue_names()))
    for worker in workers:
        worker.register_death()


def make_worker(kind: Kind, settings: Settings, worker: type[JobWorker] = JobWorker) -> JobWorker:
    """Create a worker for this kind."""
    return worker(
        list(kind.queues),
        # RQ makes this connection's socket timeout longer than its blocking read
        connection=connect(settings.redis_url),
        serializer=JsonSerializer,
        worker_ttl=REDIS_SECONDS,
        job_monitoring_interval=5,
    )


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def main(arguments: list[str]) -> None:
    """Run workers of these kinds, and these parts, until SIGTERM."""
    kinds = [name for name in arguments if name not in PARTS]
    if not kinds or not set(kinds) <= KINDS.keys():
        sys.exit(
            f"Name kinds of workers: python -m workers.rq_worker {'|'.join(KINDS)} ..., and after "
            f"them parts: {'|'.join(PARTS)}"
        )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    main_kind, *thread_kinds = kinds
    os.nice(NICENESS)
    settings = with_running_stack(settings_from_env())
    process = Process(f"worker-{main_kind}", settings, of_rq=True)
    context.use(create_worker_app(settings, KINDS[main_kind].use, len(arguments)))
    worker = make_worker(KINDS[main_kind], settings)
    worker.host_process = process
    worker.beside = [make_worker(KINDS[kind], settings, ThreadWorker) for kind in thread_kinds]  # type: ignore[misc]
    for beside in worker.beside:
        beside.start()
    for name in arguments:
        if name in PARTS:
            process.run_beside(name, partial(PARTS[name], process))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, worker.request_stop)
    try:
        worker.run()
    finally:
        process.stopping.set()  # also if the worker broke
        ends_at = worker.ends_at or time.monotonic() + GIVE_BACK_SECONDS
        end_beside(worker.beside, ends_at)
        process.join_parts(ends_at)


if __name__ == "__main__":
    main(sys.argv[1:])
