"""The application context of a worker process: made once, entered for every job."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from flask import Flask, current_app, has_app_context

from app.core.db import db
from workers.time_limit import JobTimedOut

P = ParamSpec("P")
R = TypeVar("R")

_app: Flask | None = None


def use(app: Flask) -> None:
    """Gives this process its application; called once at the start of a worker."""
    global _app
    _app = app


def in_app(job: Callable[P, R]) -> Callable[P, R]:
    """Runs a job in the process's application context (in a test: in the one that is there).

    After a job that is over its time limit none of its connections to PostgreSQL is used again.
    """

    @functools.wraps(job)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        app = current_app if has_app_context() else _app
        if app is None:
            raise RuntimeError("No application: start workers with `python -m workers.rq_worker`.")
        with app.app_context():
            try:
                return job(*args, **kwargs)
            except JobTimedOut:
                db.session().invalidate()
                db.engine.dispose()
                raise

    return run
