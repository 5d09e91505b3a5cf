"""How many workers: the rule, and the supervisor following it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from rq import Worker
from sqlalchemy import text
from structlog.testing import capture_logs

from app.core import clock, jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.embedded.stack import Stack
from app.fantasy.jobs import RECONCILE_BOARDS
from tests.stream import slow_jobs
from tests.waiting import patience, until
from tests.worlds.games import make_game
from workers.process import Process
from workers.supervisor import autoscale
from workers.supervisor import children as supervised
from workers.supervisor.autoscale import workers_wanted
from workers.supervisor.children import Children, count_file, written_count
from workers.supervisor.processes import worker

NOON = datetime(2026, 9, 13, 12, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.mark.parametrize(
    ("word", "kickoffs", "waiting", "expected"),
    [
        ("nothing on", [], 0, 2),
        ("one game", [NOON], 0, 2),
        ("eight games are two workers' work", [NOON] * 8, 0, 2),
        ("nine games", [NOON] * 9, 0, 3),
        ("sixteen games", [NOON] * 16, 0, 4),
        ("never above the most", [NOON] * 64, 5000, 8),
        ("half an hour before kickoff", [NOON + 30 * MINUTE] * 12, 0, 3),
        ("a moment earlier", [NOON + 31 * MINUTE] * 12, 0, 2),
        ("five hours after kickoff", [NOON - 5 * HOUR] * 12, 0, 3),
        ("a moment later", [NOON - 5 * HOUR - MINUTE] * 12, 0, 2),
        ("next week", [NOON + timedelta(days=7)] * 16, 0, 2),
        ("jobs pile up without a game", [], 100, 4),
        ("a few jobs are no pile", [NOON] * 4, 49, 2),
        ("games and jobs", [NOON] * 14, 120, 6),
    ],
)
def test_the_number_follows_the_schedule_and_the_queue(
    word: str, kickoffs: list[datetime], waiting: int, expected: int
) -> None:
    assert workers_wanted(NOON, kickoffs, waiting, 2, 8) == expected, word


@pytest.fixture
def children(app: Flask, stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Iterator[Children]:
    """One worker under a supervisor that looks at the schedule all the time."""
    monkeypatch.setattr(supervised, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(supervised, "CALM_LOOKS", 1)
    settings = replace(stack.settings, workers=2)
    children = Children(stack, [worker(1)], target=lambda: autoscale.count(settings, jobs_redis()))
    children.start()
    yield children
    children.stop()


def alive(children: Children) -> list[str]:
    return sorted(name for name, process in children.running.items() if process.poll() is None)


def test_the_supervisor_starts_further_workers_for_games_and_lets_them_go_afterwards(
    children: Children,
) -> None:
    for number in range(9):
        make_game(f"sunday-{number}")
    db.session.execute(text("UPDATE games SET kickoff = :now"), {"now": clock.now()})
    db.session.commit()
    children._look()
    assert alive(children) == ["worker-1", "worker-2", "worker-3"]
    until(lambda: Worker.count(connection=jobs_redis()) == 3, "three workers at the queue")

    db.session.execute(
        text("UPDATE games SET kickoff = :then"), {"then": clock.now() - timedelta(days=1)}
    )
    db.session.commit()
    going = [children.running[name] for name in ("worker-3",)]
    children._look()
    assert alive(children) == ["worker-1", "worker-2"]
    until(lambda: going[0].poll() is not None, "the third worker has ended")
    assert going[0].returncode == 0, "it was asked, not killed"
    children._look()
    assert children.leaving == []
    job = jobs.send(replace(RECONCILE_BOARDS, queue=jobs.INGEST_QUEUE))
    until(lambda: job.is_finished, "the others still work")


def test_a_worker_that_is_let_go_finishes_the_job_in_hand(children: Children) -> None:
    process = children.running["worker-1"]
    job = jobs.send(jobs.JobType(f"{slow_jobs.__name__}.wait_for_word", jobs.INGEST_QUEUE))
    until(lambda: job.get_status(refresh=True) == "started", "the job is in hand")
    children.have_workers(0)
    assert children.commands == []
    assert process.poll() is None
    jobs_redis().set(slow_jobs.WORD, 1)
    until(lambda: process.poll() is not None, "the worker has ended")
    assert (process.returncode, job.get_status(refresh=True)) == (0, "finished")


def test_a_supervisor_that_cannot_look_keeps_its_workers(children: Children, stack: Stack) -> None:
    away = replace(stack.settings, database_url="postgresql://nobody@127.0.0.1:9/none")
    children.target = lambda: autoscale.count(away, jobs_redis())
    with capture_logs() as lines:
        children._look()
    assert alive(children) == ["worker-1"]
    assert lines[0]["event"] == "workers_not_counted"
    assert "OperationalError: " in lines[0]["reason"], "and why"


def test_under_pressbox_up_a_part_of_another_process_counts(
    children: Children, stack: Stack
) -> None:
    make_game("sunday-1")
    db.session.commit()
    children.target = lambda: written_count(stack.var)
    count_file(stack.var).unlink(missing_ok=True)
    children._look()
    assert alive(children) == ["worker-1"], "it is not known yet"
    process = Process("test", replace(stack.settings, workers=2))
    process.run_beside("autoscale", lambda progress: autoscale.run(process, progress))
    until(count_file(stack.var).exists, "the number is written")
    process.stopping.set()
    process.join_parts(time.monotonic() + patience(60))
    children._look()
    assert alive(children) == ["worker-1", "worker-2"]


def test_fewer_workers_only_after_calm_looks(
    app: Flask, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised, "LOOK_SECONDS", 0.0)
    numbers = iter([4, 2, 2, 2, 2])
    monkeypatch.setattr(supervised, "CALM_LOOKS", 3)
    had: list[int] = []
    children = Children(stack, [], target=lambda: next(numbers))
    monkeypatch.setattr(children, "have_workers", had.append)
    for _ in range(5):
        children._look()
    assert had == [4, 4, 4, 2, 2]


def test_the_look_counts_games_and_waiting_jobs(app: Flask, stack: Stack) -> None:
    now = clock.now()
    settings = replace(stack.settings, workers=2)
    assert autoscale.look(settings, jobs_redis(), now) == 2
    for _ in range(55):
        jobs.send(replace(RECONCILE_BOARDS, queue=jobs.UPKEEP_QUEUE))
    assert autoscale.look(settings, jobs_redis(), now) == 2, (
        "jobs of other queues have workers of their own"
    )
    for _ in range(55):
        jobs.send(replace(RECONCILE_BOARDS, queue=jobs.INGEST_QUEUE))
    assert autoscale.look(settings, jobs_redis(), now) == 3


ASKED_TO_END_EARLY = """
import os, signal
from rq import SimpleWorker
from workers import rq_worker

bootstrap = SimpleWorker.bootstrap

def asked(self, *arguments):
    os.kill(os.getpid(), signal.SIGTERM)
    bootstrap(self, *arguments)

SimpleWorker.bootstrap = asked
rq_worker.main(["ingest"])
"""


def test_a_worker_asked_to_end_before_it_is_registered_ends_in_good_order(
    children: Children,
) -> None:
    until(lambda: Worker.count(connection=jobs_redis()) == 1, "the supervisor's own worker")
    ended = subprocess.run(
        [sys.executable, "-c", ASKED_TO_END_EARLY], env=children.environment, timeout=patience(300)
    )
    assert ended.returncode == 0
    assert Worker.count(connection=jobs_redis()) == 1, "it signed off"
