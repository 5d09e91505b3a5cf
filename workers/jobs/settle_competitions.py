"""Scheduled job: settle competition windows that are over or whose scores were corrected since."""

from __future__ import annotations

import structlog

from app.competitions.settlement import settle_due
from app.core import clock
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    for competition_id, number in settle_due(clock.now()):
        log.info("settled", competition_id=str(competition_id), window=number)
