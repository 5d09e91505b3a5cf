"""Watches the parts, records incidents and measures replicas, in a thread of the verifier.

Running two of these does no harm, because a part has one open incident at a time. Incidents are
defined in app/ops/incidents.py.
"""

from __future__ import annotations

from collections.abc import Callable

import redis
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock, metrics
from app.core.db import db
from app.core.errors import one_line
from app.core.redis.replica_lag import replica_lags
from app.ops import incidents
from app.ops.health import check_all
from app.ops.incidents import Watch
from workers import context
from workers.process import Process, Progress

log = structlog.get_logger(__name__)

LOOK_SECONDS = 15.0


def look(app: Flask, watch: Watch) -> None:
    """Check every part once. If incidents cannot be saved now, the next check saves them."""
    starts = incidents.starts()
    stored = incidents.stored_starts(starts)
    parts = check_all(app.config["PRESSBOX"])
    now = clock.now()
    watch.note(parts, starts, stored, now)
    try:
        incidents.save(watch, [part.name for part in parts if part.up], now)
    except SQLAlchemyError as error:
        log.warning("incidents_wait", reason=one_line(error))
        db.session.rollback()


def measure_replicas() -> None:
    """Record the lag of each replica of Redis for the objective; nothing while Redis is away."""
    try:
        for lag in replica_lags():
            metrics.observe(metrics.REPLICA_LAG, lag.seconds)
    except redis.RedisError as error:
        log.warning("replicas_not_measured", reason=one_line(error))


def run(process: Process, progress: Progress) -> None:
    """Watch until stopped."""
    work(context.application(), process.stopping.is_set, process.stopping.wait, progress)


def work(
    app: Flask,
    stopping: Callable[[], bool],
    wait: Callable[[float], object],
    progress: Progress,
) -> None:
    """Continue until stopped."""
    with app.app_context():
        watch = Watch(clock.now())
        while not stopping():
            progress.begin()
            try:
                look(app, watch)
                measure_replicas()
            except Exception:
                log.exception("watch_failed")  # a history with a gap is better than none
            db.session.remove()
            progress.done()
            wait(LOOK_SECONDS)
