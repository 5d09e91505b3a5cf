"""Job, by the clock: the work after a gameweek's deadline (carrying over, prices, pairings, notices)."""

from __future__ import annotations

from datetime import timedelta

import structlog

from app.core import clock
from app.fantasy.after_deadline import lock_due
from workers.context import in_app

log = structlog.get_logger(__name__)

# A team sheet that came in just before the deadline may still be on its way into the database; it is saved by then,
# at the prices that its gamer saw.
UNDER_WAY = timedelta(seconds=5)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    for done in lock_due(clock.now() - UNDER_WAY):
        log.info("gameweek_locked", gameweek_id=done.gameweek_id, carried=done.carried, repriced=done.repriced)
