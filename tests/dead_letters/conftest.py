from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select

from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.dead_letters.models import DeadJob
from app.embedded.stack import Stack
from tests.commands import run_pressbox, settings_of_stack
from tests.stream.conftest import start as start
from workers import schedule
from workers.rq_worker import KINDS, make_worker


@pytest.fixture
def work(app: Flask, stack: Stack) -> Callable[[], None]:
    """The settlement's worker in this process, until its queue is empty."""

    def run() -> None:
        db.session.rollback()
        make_worker(KINDS["settlement"], stack.settings).work(burst=True, logging_level="CRITICAL")

    return run


Job = tuple[str, object]  # a job of failing_jobs.py and its argument


@pytest.fixture
def kill(work: Callable[[], None]) -> Callable[..., None]:
    """Runs jobs until they are dead letters: `kill((FAIL, 7), (FAIL, 8))`.

    Without any: those that wait.
    """

    def run(*sent: Job) -> None:
        ids = [
            jobs.send(jobs.JobType(name, jobs.SETTLEMENT_QUEUE), argument).id
            for name, argument in sent
        ]
        queue = jobs.queue(jobs.SETTLEMENT_QUEUE)
        registry = queue.scheduled_job_registry
        while queue.count:
            work()
            in_order = {job_id: place for place, job_id in enumerate(ids or registry.get_job_ids())}
            if in_order:
                # those that are to be tried again are due
                jobs_redis().zadd(registry.key, in_order, xx=True)
            schedule.retrying(jobs_redis())()

    return run


@pytest.fixture
def dead_jobs(app: Flask) -> Callable[[], list[DeadJob]]:
    def read() -> list[DeadJob]:
        db.session.rollback()
        return list(
            db.session.scalars(
                select(DeadJob).order_by(DeadJob.id).execution_options(populate_existing=True)
            )
        )

    return read


Pressbox = Callable[..., tuple[int, str]]


@pytest.fixture
def pressbox(stack: Stack, tmp_path: Path) -> Pressbox:
    """Runs a command on the test's stores; gives its exit code and what it printed."""

    def run(*arguments: str) -> tuple[int, str]:
        db.session.rollback()
        result = run_pressbox(
            *arguments, PRESSBOX_VAR=tmp_path, **settings_of_stack(stack.settings)
        )
        return result.exit_code, result.output

    return run
