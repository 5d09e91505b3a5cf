from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import select

from app.cli import main
from app.core import jobs
from app.core.db import db
from app.core.redis import jobs_redis
from app.dead_letters.models import DeadJob
from app.embedded.stack import Stack
from tests.stream.conftest import start as start
from tests.waiting import patience
from workers import schedule
from workers.rq_worker import KINDS, make_worker


@pytest.fixture
def work(app: Flask, stack: Stack) -> Callable[[], None]:
    """The settlement's worker in this process, until its queue is empty."""

    def run() -> None:
        db.session.rollback()
        make_worker(KINDS["settlement"], stack.settings).work(burst=True, logging_level="CRITICAL")

    return run


@pytest.fixture
def kill(work: Callable[[], None]) -> Callable[..., None]:
    """Runs a job until it is a dead letter: `kill(FAIL, 7)`."""

    def run(name: str, *arguments: object, send: bool = True) -> None:
        if send:
            jobs.send(jobs.SETTLEMENT_QUEUE, name, *arguments)
        registry = jobs.queue(jobs.SETTLEMENT_QUEUE).scheduled_job_registry
        for _ in range(1 + len(jobs.RETRY_AFTER_SECONDS)):
            work()
            for job_id in registry.get_job_ids():
                jobs_redis().zadd(registry.key, {job_id: 0})
            schedule.retrying(jobs_redis())()
        assert jobs.queue(jobs.SETTLEMENT_QUEUE).count == 0

    return run


@pytest.fixture
def dead_jobs(app: Flask) -> Callable[[], list[DeadJob]]:
    def read() -> list[DeadJob]:
        db.session.rollback()
        return list(db.session.scalars(select(DeadJob).order_by(DeadJob.id).execution_options(populate_existing=True)))

    return read


Pressbox = Callable[..., tuple[int, str]]


@pytest.fixture
def pressbox(stack: Stack, tmp_path: Path) -> Pressbox:
    """Runs a command on the test's stores; gives its exit code and what it printed."""

    def run(*arguments: str) -> tuple[int, str]:
        settings = stack.settings
        environment = {
            "DATABASE_URL": settings.database_url,
            "REDIS_URL": settings.redis_url,
            "KAFKA_BOOTSTRAP_SERVERS": settings.kafka,
            "KAFKA_GROUP_PREFIX": settings.kafka_group_prefix,
            "PRESSBOX_VAR": str(tmp_path),
            "SECRET_KEY": settings.secret(),
        }
        db.session.rollback()
        # In a thread, which has no application context yet, as a process of its own has none.
        with ThreadPoolExecutor(1) as thread:
            done = thread.submit(CliRunner().invoke, main, arguments, env=environment).result(timeout=patience(120))
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.output

    return run
