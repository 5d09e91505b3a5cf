"""Scheduled job: settle gameweeks whose games are over."""

from __future__ import annotations

import structlog

from app.core import clock
from app.fantasy.gameweeks.settlement import settle_due
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    for gameweek_id in settle_due(clock.now()):
        log.info("settled", gameweek_id=gameweek_id)
