"""Job, by the clock and after each sanction: ends suspensions that are over, and shows what waits to be shown."""

from __future__ import annotations

import structlog

from app.core import clock
from app.moderation import rollback, sanctions
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    now = clock.now()
    ended = sanctions.lift_ended(now)
    shown = sanctions.show_waiting(now)
    rollbacks = rollback.show_waiting(now)
    if ended or shown or rollbacks:
        log.info("sanctions_shown", ended=ended, shown=shown, rollbacks=rollbacks)
