"""Scheduled job: make the picks and sales that the clocks of drafts have decided."""

from __future__ import annotations

import structlog

from app.core import clock
from app.draft_leagues import league_clock
from app.draft_leagues.drafts.services import advance_due
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    if drafts := advance_due(clock.now(), but=league_clock.simulated_leagues()):
        log.info("drafts_advanced", drafts=drafts)
