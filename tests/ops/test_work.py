"""Failing and waiting work is named.

By queue in /healthz, with the job and its error for the operator.
"""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from rq import SimpleWorker
from rq.job import Job

from app.core import jobs
from app.core.redis.clients import jobs_redis
from app.fantasy.jobs import RECONCILE_BOARDS
from app.ops.health import Part, check_all
from app.ops.work import LATELY_SECONDS, STUCK_SECONDS, Outcome, failing_job
from workers.context import RedeliverError
from workers.jobs import reconcile_boards
from workers.jobs.apply_correction import StillMissingError
from workers.process import Progress, heartbeat_key
from workers.rq_worker import KINDS

NOW = 1_000_000.0


def ends(words: str, job: str = "refresh", age: float = 1.0) -> list[Outcome]:
    """The newest first: `x` failed, `.` went well."""
    return [Outcome(job, NOW - age, "ProgrammingError" if word == "x" else "") for word in words]


@pytest.mark.parametrize(
    ("outcomes", "fails"),
    [
        (ends(""), False),
        (ends("xx"), False),
        (ends("xxx"), True),
        (ends("xxx......."), True),
        (ends(".xxx"), False),
        (ends("x.x.x."), True),
        (ends("x..x..x"), False),
        (ends(".x.x.x"), False),
        (ends("xxx", age=LATELY_SECONDS + 1), False),
        (ends("..........", "lock") + ends("xxx"), True),
    ],
)
def test_a_job_fails_while_its_last_three_runs_or_half_of_them_did_and_the_newest_too(
    outcomes: list[Outcome], fails: bool
) -> None:
    failing = failing_job(outcomes, NOW)
    assert failing.startswith("refresh failed") is fails
    assert ("ProgrammingError" in failing) is fails


def part(app: Flask, name: str) -> Part:
    return next(part for part in check_all(app.config["PRESSBOX"]) if part.name == name)


def run_jobs(queue: str) -> None:
    worker = SimpleWorker(
        [jobs.queue(queue)], connection=jobs_redis(), serializer=jobs.JsonSerializer
    )
    worker.work(burst=True, logging_level="ERROR")


def test_a_queue_whose_jobs_fail_is_down_until_they_go_well_again(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        jobs.send_once(RECONCILE_BOARDS, timeout=60)
    with monkeypatch.context() as patch:
        patch.setattr(reconcile_boards, "publish_all_boards", lambda: 1 / 0)
        run_jobs(jobs.BOARDS_QUEUE)
    boards = part(app, "queue boards")
    assert not boards.up
    assert boards.detail == "reconcile_boards failed 3 of 3 times recently (ZeroDivisionError)"
    assert "pressbox migrate" in boards.remedy
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json is not None
    assert "queue boards" in answer.json["down"]
    assert "ZeroDivisionError" not in answer.text
    jobs.send_once(RECONCILE_BOARDS, timeout=60)
    run_jobs(jobs.BOARDS_QUEUE)
    assert part(app, "queue boards").up


@pytest.mark.parametrize("queue", jobs.QUEUES)
def test_a_queue_that_nobody_empties_is_down(app: Flask, queue: str) -> None:
    job = jobs.send_once(replace(RECONCILE_BOARDS, queue=queue), timeout=60)
    assert part(app, f"queue {queue}").up
    long_ago = datetime.now(UTC) - timedelta(hours=5)
    jobs_redis().hset(
        Job.key_for(job.id), "enqueued_at", long_ago.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    )
    queue_part = part(app, f"queue {queue}")
    assert not queue_part.up
    assert "the oldest job has waited for 180" in queue_part.detail


@pytest.mark.parametrize("name", ["relay", "bridge", "scores"])
def test_a_consumer_that_does_not_get_on_is_down_though_it_lives(app: Flask, name: str) -> None:
    now = time.time()
    jobs_redis().set(heartbeat_key(name, 1), f"{now:.0f} {now - 5:.0f}")
    assert part(app, name).up
    jobs_redis().set(heartbeat_key(name, 2), f"{now:.0f} {now - STUCK_SECONDS - 30:.0f}")
    worker_part = part(app, name)
    assert not worker_part.up
    assert "has made no progress for" in worker_part.detail


def test_progress_counts_from_the_first_try_of_what_is_not_done() -> None:
    progress = Progress()
    assert progress.since is None
    progress.begin()
    since = progress.since
    progress.begin()
    assert progress.since == since
    progress.done()
    assert progress.since is None


def test_a_job_that_only_waits_for_something_does_not_count_as_failed(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_early() -> int:
        raise RedeliverError

    for _ in range(3):
        jobs.send_once(RECONCILE_BOARDS, timeout=60)
    monkeypatch.setattr(reconcile_boards, "publish_all_boards", too_early)
    run_jobs(jobs.BOARDS_QUEUE)
    assert part(app, "queue boards").up
    assert issubclass(StillMissingError, RedeliverError)


def test_workers_of_one_kind_do_not_stand_in_for_another(app: Flask, client: FlaskClient) -> None:
    worker = SimpleWorker(
        [jobs.queue(name) for name in jobs.WORKER_KINDS["ingest"]],
        connection=jobs_redis(),
        serializer=jobs.JsonSerializer,
    )
    worker.register_birth()
    answer = client.get("/healthz").json
    assert answer is not None
    assert [name for name in answer["down"] if name.startswith("workers")] == [
        "workers refresh",
        "workers settlement",
        "workers drafts",
        "workers webhooks",
        "workers providers",
        "workers operations",
        "workers upkeep",
    ]
    assert part(app, "workers ingest").detail == "1 running"
    assert "logs/refresh*.log" in part(app, "workers refresh").remedy
    # killed: its entry has ended, though the list of workers still names it
    jobs_redis().delete(worker.key)
    assert not part(app, "workers ingest").up


@pytest.mark.parametrize("kind", jobs.WORKER_KINDS)
def test_every_queue_has_a_kind_of_worker(kind: str) -> None:
    assert KINDS[kind].queues == jobs.WORKER_KINDS[kind]
    assert sorted(name for queues in jobs.WORKER_KINDS.values() for name in queues) == sorted(
        jobs.QUEUES
    )
    assert set(KINDS) == set(jobs.WORKER_KINDS)
