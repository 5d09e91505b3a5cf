"""Job, by the clock: the work after a gameweek's deadline, and the notices before it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta

import structlog

from app.core import clock
from app.core.db import db
from app.fantasy.gameweeks.after_deadline import lock_due
from app.fantasy.gameweeks.deadline_notices import notify_near
from workers.context import in_app

log = structlog.get_logger(__name__)

# A team sheet that came in just before the deadline may still be on its way into the database; it
# is saved by then, at the prices that its gamer saw.
UNDER_WAY = timedelta(seconds=5)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    now = clock.now()
    for done in lock_due(now - UNDER_WAY):
        log.info("gameweek_locked", **asdict(done))
    if notified := notify_near(now):
        log.info("deadline_near", notices=notified)
    db.session.commit()
