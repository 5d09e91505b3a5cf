"""Job: brings team sheets, league tables and boards up to date after a change in a game."""

from __future__ import annotations

import structlog

from app.core import clock
from app.fantasy.gameweeks.live import refresh_game
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run(game_id: str) -> None:
    """Running twice changes nothing."""
    moved = refresh_game(game_id, clock.now())
    log.info("refreshed", game_id=game_id, leagues=len(moved))
