"""SIGTERM: every kind of process finishes its work or gives it back, and exits by itself.

The tests of one job each fork their worker (workers/supervisor/forking.py); how an interpreter ends
is shown on real ones.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from rq import Worker
from rq.job import Job, JobStatus
from structlog.testing import capture_logs

from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.embedded.stack import Stack
from tests.dead_letters.failing_jobs import FAIL, MENDED
from tests.groups import own_groups
from tests.stream import slow_jobs
from tests.waiting import patience, until, until_nobody_is_at_work
from workers.process import Process, Progress, heartbeat_key
from workers.supervisor.children import ROOT, environment
from workers.supervisor.forking import ForkedProcess

SLOW = f"{slow_jobs.__name__}.hold"
SPIN = f"{slow_jobs.__name__}.spin"
WORKER = [sys.executable, "-m", "workers.rq_worker"]
# By module and arguments: the names under which its parts beat.
PARTS = {
    "workers.relay": {"relay"},
    "workers.bridge": {"bridge"},
    "workers.scores": {"scores"},
    "workers.verifier": {"verifier"},
    "workers.schedule": {"scheduler"},
    "workers.rq_worker ingest relay bridge": {"relay", "bridge"},
    "workers.rq_worker upkeep scheduler verifier watch": {"scheduler", "verifier", "watch"},
}
PARTS_HERE = {"scheduler", "verifier", "watch"}
AnyProcess = subprocess.Popen[bytes] | ForkedProcess
StartWorker = Callable[..., AnyProcess]


@pytest.fixture
def running(app: Flask) -> Iterator[list[AnyProcess]]:
    """Processes that are killed at the end of the test if they still run."""
    processes: list[AnyProcess] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait(patience(60))
    db.session.remove()
    db.engine.dispose()
    until_nobody_is_at_work(app.config["PRESSBOX"].psycopg_url)


@pytest.fixture
def start_worker(stack: Stack, running: list[AnyProcess]) -> StartWorker:
    """Starts a worker of these kinds."""

    def start(*kinds: str) -> ForkedProcess:
        worker = ForkedProcess(
            [*WORKER, *kinds], environment(stack), ROOT, stack.var / "logs" / "stopping.log"
        )
        running.append(worker)
        return worker

    return start


def end(*processes: AnyProcess) -> None:
    """Ask the processes to end.

    Each must do so cleanly, in the 20 s that docs/runbook.md promises.
    """
    for process in processes:
        process.send_signal(signal.SIGTERM)
    until(
        lambda: all(process.poll() is not None for process in processes),
        "all processes have ended",
        seconds=20,
    )
    assert {process.poll() for process in processes} <= {0, -signal.SIGTERM}


def start_job(queue: str, name: str, seconds: float, *, limit: int = 300) -> Job:
    return jobs.queue(queue).enqueue(name, args=(seconds,), job_timeout=limit)


def until_all(status: JobStatus, *sent: Job) -> None:
    until(lambda: all(job.get_status() == status for job in sent), f"the jobs are {status}")


def workers_of(process: AnyProcess) -> list[Worker]:
    return [worker for worker in Worker.all(connection=jobs_redis()) if worker.pid == process.pid]


def test_every_process_ends_when_it_is_asked(stack: Stack, running: list[AnyProcess]) -> None:
    with own_groups(stack):
        processes = {
            module: subprocess.Popen(
                [sys.executable, "-m", *module.split()], cwd=ROOT, env=environment(stack)
            )
            for module in PARTS
        }
    running += processes.values()

    def silent() -> set[str]:
        beats = {
            module: [heartbeat_key(part, processes[module].pid) for part in PARTS[module]]
            for module in PARTS
        }
        return {module for module, keys in beats.items() if jobs_redis().exists(*keys) < len(keys)}

    until(lambda: not silent(), "every part of every process beats")
    end(*processes.values())


def test_a_part_that_fails_beats_no_more_is_started_again_and_ends_no_other(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.process.signal.signal", lambda *_: None)
    monkeypatch.setattr("workers.process.configure_logging", lambda *_: None)
    monkeypatch.setattr("workers.process.RESTART_SECONDS", 0.01)
    process = Process("scheduler", app.config["PRESSBOX"])
    starts: list[str] = []
    go_on, works_again = threading.Event(), threading.Event()

    def verify(_progress: Progress) -> None:
        starts.append("verifier")
        if len(starts) == 1:
            go_on.wait(60)
            raise RuntimeError("odd data")
        works_again.set()
        process.stopping.wait(60)

    with capture_logs() as lines:
        process.run_beside("verifier", verify)
        process.run_beside("watch", lambda _progress: process.stopping.wait(60))
        until(
            lambda: (
                jobs_redis().exists(*(heartbeat_key(name, os.getpid()) for name in PARTS_HERE))
                == len(PARTS_HERE)
            ),
            "every part beats",
        )
        go_on.set()
        assert works_again.wait(patience(60)), "it is started again"
        assert process.parts.keys() == PARTS_HERE
        assert not process.stopping.is_set()
    process.stopping.set()
    process.join_parts(time.monotonic() + patience(60))
    assert [(line["event"], line["part"]) for line in lines] == [("part_failed", "verifier")]
    assert process.parts.keys() == {"scheduler"}


def test_a_part_that_keeps_failing_is_started_later_each_time(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.process.signal.signal", lambda *_: None)
    monkeypatch.setattr("workers.process.configure_logging", lambda *_: None)
    process = Process("scheduler", app.config["PRESSBOX"])
    waits: list[float] = []

    class Stopping:
        def is_set(self) -> bool:
            return len(waits) == 6

        def wait(self, seconds: float) -> None:
            waits.append(seconds)

    def fail(_progress: Progress) -> None:
        raise RuntimeError("odd data")

    process.stopping.set()
    monkeypatch.setattr(process, "stopping", Stopping())
    with capture_logs() as lines:
        process.run_beside("verifier", fail)
        process.join_parts(time.monotonic() + patience(60))
    assert waits == [2, 4, 8, 16, 30, 30]
    assert len(lines) == len(waits)


def test_workers_of_all_kinds_in_one_process_end_with_it(
    stack: Stack, running: list[AnyProcess]
) -> None:
    """The one that works finishes its job, the idle ones are signed off.

    None is left in the list.
    """
    kinds = [*jobs.WORKER_KINDS, "webhooks"]
    process = subprocess.Popen([*WORKER, *kinds], cwd=ROOT, env=environment(stack))
    running.append(process)
    until(lambda: len(workers_of(process)) == len(kinds), "all workers are there")
    job = start_job(jobs.WEBHOOKS_QUEUE, SLOW, 3)
    until_all(JobStatus.STARTED, job)
    end(process)
    assert job.get_status() == JobStatus.FINISHED
    assert workers_of(process) == []


def test_a_worker_finishes_a_job_that_is_nearly_done(start_worker: StartWorker) -> None:
    process = start_worker("settlement")
    job = start_job(jobs.SETTLEMENT_QUEUE, SLOW, 3)
    until_all(JobStatus.STARTED, job)
    end(process)
    assert job.get_status() == JobStatus.FINISHED


def test_jobs_that_take_too_long_are_given_back_and_done_by_another_worker(
    start_worker: StartWorker,
) -> None:
    """In the main thread and in threads beside it.

    The job is the first of its queue again, and is no failure.
    """
    process = start_worker("settlement", "operations", "webhooks")
    sent = [
        start_job(jobs.SETTLEMENT_QUEUE, SLOW, 60),
        start_job(jobs.OPERATIONS_QUEUE, SPIN, 60),
        start_job(jobs.WEBHOOKS_QUEUE, SPIN, 60),
    ]
    until_all(JobStatus.STARTED, *sent)
    end(process)
    for job in sent:
        queue = jobs.queue(job.origin)
        assert (job.get_status(), queue.get_job_ids()) == (JobStatus.QUEUED, [job.id])
        assert queue.failed_job_registry.count == queue.started_job_registry.count == 0
    start_worker("settlement")
    until_all(JobStatus.STARTED, sent[0])


def test_a_job_in_a_thread_ends_at_its_time_limit(start_worker: StartWorker) -> None:
    process = start_worker("upkeep", "webhooks")
    job = start_job(jobs.WEBHOOKS_QUEUE, SPIN, 600, limit=1)
    until_all(JobStatus.FAILED, job)
    assert "JobTimedOut" in (job.latest_result().exc_string or "")  # type: ignore[union-attr]
    until_all(JobStatus.FINISHED, start_job(jobs.WEBHOOKS_QUEUE, SLOW, 0))
    assert process.poll() is None


def test_a_slow_job_of_one_kind_holds_up_no_other_in_its_process(start_worker: StartWorker) -> None:
    """While a drill, a provider and a receiver hang, other webhooks and providers are served."""
    start_worker("upkeep", "operations", "providers", "providers", "webhooks", "webhooks")
    slow = [
        start_job(queue, SPIN, 500, limit=600)
        for queue in (
            jobs.UPKEEP_QUEUE,
            jobs.OPERATIONS_QUEUE,
            jobs.PROVIDERS_QUEUE,
            jobs.WEBHOOKS_QUEUE,
        )
    ]
    until_all(JobStatus.STARTED, *slow)
    jobs_redis().set(MENDED, 1)
    until_all(
        JobStatus.FINISHED,
        *(start_job(queue, FAIL, 0) for queue in (jobs.WEBHOOKS_QUEUE, jobs.PROVIDERS_QUEUE)),
    )
    assert {job.get_status() for job in slow} == {JobStatus.STARTED}
