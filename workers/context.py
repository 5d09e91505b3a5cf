"""The application of a worker process: created once, its context entered for every job."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import redis
from flask import Flask, current_app, has_app_context
from rq import get_current_job

from app.core import metrics
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.ops.work import note_outcome
from workers.time_limit import JobReturned, JobTimedOut

P = ParamSpec("P")
R = TypeVar("R")

_app: Flask | None = None


def use(app: Flask) -> None:
    """Set this process's application. Call it once at the start of a worker."""
    global _app
    _app = app


def application() -> Flask:
    """Return this process's application (in a test: the current one)."""
    app = current_app if has_app_context() else _app
    if app is None:
        raise RuntimeError(
            "No application: start workers with `python -m workers.rq_worker ingest` (or another "
            "kind)."
        )
    return app


def in_app(job: Callable[P, R]) -> Callable[P, R]:
    """Run a job in the process's application context (in a test: in the current one).

    After a job exceeds its time limit, its connections to PostgreSQL are not used again.
    """

    @functools.wraps(job)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with application().app_context():
            try:
                result = job(*args, **kwargs)
            except RedeliverError:
                raise
            except JobReturned:
                db.session().invalidate()
                db.engine.dispose()
                raise
            except JobTimedOut as error:
                db.session().invalidate()
                db.engine.dispose()
                _note(type(error).__name__)
                raise
            except Exception as error:
                _note(type(error).__name__)
                raise
            _note("")
            return result

    return run


class RedeliverError(Exception):
    """The job needs something that does not exist yet. Not a failure: RQ tries again later."""


def _note(error: str) -> None:
    """Record for /healthz how the job ended; a call outside RQ is not recorded."""
    running = get_current_job()
    if running is None:
        return
    metrics.count(metrics.JOBS.format(running.origin), good=not error)
    with contextlib.suppress(redis.RedisError):  # an error in health reporting must not fail a job
        note_outcome(jobs_redis(), running.origin, str(running.func_name).split(".")[-2], error)
