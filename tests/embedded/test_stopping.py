"""SIGTERM: every kind of process finishes what it has in hand, or gives it back, and ends within 20 s."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from rq import Worker
from rq.job import Job, JobStatus

from app.core import jobs
from app.core.db import db
from app.core.redis import jobs_redis
from app.embedded.stack import Stack
from tests.dead_letters.failing_jobs import FAIL, MENDED
from tests.groups import own_groups
from tests.stream import slow_jobs
from tests.waiting import patience, until, until_nobody_is_at_work
from workers.children import environment
from workers.process import Process, heartbeat_key

Started = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start(app: Flask, stack: Stack) -> Iterator[Started]:
    """Starts a process of ours; it is killed at the end of the test if it still runs."""
    running = []

    def begin(*arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments], env=environment(stack) | {"PYTHONPATH": os.getcwd()}
        )
        running.append(process)
        return process

    with own_groups(stack):
        yield begin
    for process in running:
        process.kill()
        process.wait(timeout=patience(60))
    db.session.remove()
    db.engine.dispose()
    until_nobody_is_at_work(app.config["PRESSBOX"].psycopg_url)


def end(process: subprocess.Popen[bytes]) -> None:
    """Sends SIGTERM and waits for a clean exit."""
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=patience(60)) in (0, -signal.SIGTERM)


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("relay", "workers.relay"),
        ("bridge", "workers.bridge"),
        ("scores", "workers.scores"),
        ("verifier", "workers.verifier"),
        ("scheduler", "workers.schedule"),
        ("scheduler", "workers.keeper"),
        ("verifier", "workers.keeper"),
    ],
)
def test_a_process_that_works_ends_in_time(start: Started, name: str, module: str) -> None:
    process = start(module)
    until(lambda: bool(jobs_redis().exists(heartbeat_key(name, process.pid))), f"{name} beats")
    end(process)


def test_a_part_that_ends_by_itself_beats_no_more_and_stops_the_process(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.process.signal.signal", lambda *_: None)
    monkeypatch.setattr("workers.process.logging.configure", lambda *_: None)
    process = Process("scheduler", app.config["PRESSBOX"])
    go_on = threading.Event()
    part = process.run_beside("verifier", lambda _progress: go_on.wait(patience(60)))
    until(lambda: bool(jobs_redis().exists(heartbeat_key("verifier", os.getpid()))), "the part beats")
    assert (process.stopping.is_set(), process.failed) == (False, False)
    go_on.set()
    part.join(patience(60))
    assert (process.stopping.is_set(), process.failed, set(process.parts)) == (True, True, {"scheduler"})


def test_workers_that_share_a_process_end_with_it_in_time(start: Started) -> None:
    """One that works finishes its job or is cut off, one that is idle is signed off; none is left in the list."""
    process = start("workers.rq_worker", "upkeep", "operations", "webhooks", "webhooks")

    def of_process() -> list[Worker]:
        return [one for one in Worker.all(connection=jobs_redis()) if one.pid == process.pid]

    until(lambda: len(of_process()) == 4, "all workers are there")
    sent = jobs.queue(jobs.WEBHOOKS_QUEUE).enqueue(SLOW, args=(3,), job_timeout=300)
    until(lambda: sent.get_status() == JobStatus.STARTED, "the job runs")
    end(process)
    assert sent.get_status() == JobStatus.FINISHED
    assert of_process() == []


def test_jobs_in_threads_are_given_back_that_take_too_long(start: Started) -> None:
    process = start("workers.rq_worker", "upkeep", "operations", "webhooks")
    sent = [
        jobs.queue(name).enqueue(SPIN, args=(60,), job_timeout=300)
        for name in (jobs.OPERATIONS_QUEUE, jobs.WEBHOOKS_QUEUE)
    ]
    until(lambda: all(one.get_status() == JobStatus.STARTED for one in sent), "the jobs run")
    end(process)
    for one in sent:
        queue = jobs.queue(one.origin)
        assert (one.get_status(), queue.get_job_ids()) == (JobStatus.QUEUED, [one.id])
        assert queue.failed_job_registry.count == queue.started_job_registry.count == 0


def test_a_job_in_a_thread_ends_at_its_time_limit(start: Started) -> None:
    process = start("workers.rq_worker", "upkeep", "webhooks")
    sent = jobs.queue(jobs.WEBHOOKS_QUEUE).enqueue(SLOW, args=(60,), job_timeout=1)
    until(lambda: sent.get_status() == JobStatus.FAILED, "the job is over its limit")
    assert "JobTimedOut" in (sent.latest_result().exc_string or "")  # type: ignore[union-attr]
    after = jobs.queue(jobs.WEBHOOKS_QUEUE).enqueue(SLOW, args=(0,), job_timeout=300)
    until(lambda: after.get_status() == JobStatus.FINISHED, "the next one is done")
    assert process.poll() is None


def test_a_slow_job_of_one_kind_holds_up_no_other_in_its_process(start: Started) -> None:
    start("workers.rq_worker", "upkeep", "operations", "providers", "providers", "webhooks", "webhooks")
    slow = [
        jobs.queue(name).enqueue(SPIN, args=(500,), job_timeout=600)
        for name in (jobs.UPKEEP_QUEUE, jobs.OPERATIONS_QUEUE, jobs.PROVIDERS_QUEUE, jobs.WEBHOOKS_QUEUE)
    ]
    until(lambda: all(one.get_status() == JobStatus.STARTED for one in slow), "drill, provider and receiver hang")
    jobs_redis().set(MENDED, 1)
    sent = [
        jobs.queue(name).enqueue(FAIL, args=(0,), job_timeout=300)
        for name in (jobs.WEBHOOKS_QUEUE, jobs.PROVIDERS_QUEUE)
    ]
    until(
        lambda: all(one.get_status() == JobStatus.FINISHED for one in sent),
        "another member's webhook is sent, another provider is polled",
    )
    assert {one.get_status() for one in slow} == {JobStatus.STARTED}


@pytest.mark.parametrize("kind", jobs.WORKER_KINDS)
def test_an_idle_worker_ends_in_time(start: Started, kind: str) -> None:
    process = start("workers.rq_worker", kind)
    until(lambda: any(one.pid == process.pid for one in Worker.all(connection=jobs_redis())), "the worker is there")
    end(process)


def test_a_worker_gives_a_job_back_that_takes_too_long(start: Started) -> None:
    """It is the first of its queue again, is no failure, and another worker does it."""
    process = start("workers.rq_worker", "settlement")
    sent = jobs.queue(jobs.SETTLEMENT_QUEUE).enqueue(SLOW, args=(60,), job_timeout=300)
    job_id = sent.id

    def status() -> JobStatus | None:
        return Job.fetch(job_id, connection=jobs_redis(), serializer=jobs.JsonSerializer).get_status()

    until(lambda: status() == JobStatus.STARTED, "the job runs")
    end(process)
    queue = jobs.queue(jobs.SETTLEMENT_QUEUE)
    assert (status(), queue.get_job_ids()) == (JobStatus.QUEUED, [job_id])
    assert queue.failed_job_registry.count == queue.started_job_registry.count == 0
    again = start("workers.rq_worker", "settlement")
    until(lambda: status() == JobStatus.STARTED, "another worker does it")
    again.kill()


def test_a_worker_finishes_a_job_that_is_nearly_done(start: Started) -> None:
    process = start("workers.rq_worker", "settlement")
    sent = jobs.queue(jobs.SETTLEMENT_QUEUE).enqueue(SLOW, args=(3,), job_timeout=300)
    until(lambda: sent.get_status() == JobStatus.STARTED, "the job runs")
    end(process)
    assert sent.get_status() == JobStatus.FINISHED


SLOW = f"{slow_jobs.__name__}.hold"
SPIN = f"{slow_jobs.__name__}.spin"
