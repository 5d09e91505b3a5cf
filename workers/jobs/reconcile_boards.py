"""Job, by the clock: finishes refreshes that a killed worker left undone, and refills boards that Redis lost."""

from __future__ import annotations

import structlog

from app.core import clock
from app.fantasy.gameweeks.live import active_gameweeks, refresh_gameweek
from app.fantasy.standings.boards import publish_all_boards
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    now = clock.now()
    for gameweek_id in active_gameweeks(now):
        refresh_gameweek(gameweek_id, now)
    published = publish_all_boards()
    if published:
        log.info("boards_reconciled", boards=published)
