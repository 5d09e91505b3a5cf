"""Watches the parts and keeps the history of incidents; a thread of the verifier's process.

Two of these do no harm, because a part has one open incident at a time. What is recorded is in
app/ops/incidents.py.
"""

from __future__ import annotations

from collections.abc import Callable

import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock
from app.core.db import db
from app.core.errors import one_line
from app.ops import incidents
from app.ops.health import check_all
from app.ops.incidents import Watch

log = structlog.get_logger(__name__)

LOOK_SECONDS = 5.0


def look(app: Flask, watch: Watch) -> None:
    """Look at every part once; what cannot be written now is written with the next look."""
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


def work(app: Flask, stopping: Callable[[], bool], wait: Callable[[float], object]) -> None:
    """Continue until stopped."""
    with app.app_context():
        watch = Watch(clock.now())
        while not stopping():
            try:
                look(app, watch)
            except Exception:
                log.exception("watch_failed")  # a history with a gap is better than none
            db.session.remove()
            wait(LOOK_SECONDS)
