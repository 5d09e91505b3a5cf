"""Scheduled job, and sent at each deadline: lock gameweeks, and send notices before it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta

import structlog

from app.core import clock, jobs
from app.core.db import db
from app.fantasy.gameweeks.after_deadline import lock_due
from app.fantasy.gameweeks.deadline_notices import notify_near
from app.fantasy.jobs import LOCK_GAMEWEEKS
from app.fantasy.market.gameweeks import next_to_lock
from workers.context import in_app

log = structlog.get_logger(__name__)

# A team sheet that arrived just before the deadline may not be in the database yet. After this
# time it is saved, at the prices that its owner saw.
UNDER_WAY = timedelta(seconds=5)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    now = clock.now()
    for done in lock_due(now - UNDER_WAY):
        log.info("gameweek_locked", **asdict(done))
    if (deadline := next_to_lock(now - UNDER_WAY)) is not None:
        jobs.send_at(LOCK_GAMEWEEKS, deadline + UNDER_WAY)
    if notified := notify_near(now):
        log.info("deadline_near", notices=notified)
    db.session.commit()
