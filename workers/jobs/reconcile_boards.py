"""Scheduled job: finish refreshes of killed workers, and refill boards that Redis lost."""

from __future__ import annotations

import structlog

from app.core import clock
from app.fantasy.gameweeks import large_tables, refreshing
from app.fantasy.standings.boards import publish_all_boards
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    for gameweek_id in refreshing.gameweeks_behind():
        if refreshing.ask(gameweek_id):
            log.info("refresh_repaired", gameweek_id=gameweek_id)
    published = publish_all_boards() + large_tables.show_all(clock.now())
    if published:
        log.info("boards_reconciled", boards=published)
