"""Scheduled job: rank footballers for draft leagues by the record of now."""

from __future__ import annotations

import structlog

from app.core import clock
from app.draft_leagues.rankings.services import refresh
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice computes the same rankings again."""
    if rankings := refresh(clock.now()):
        log.info("ranked", rankings=rankings)
