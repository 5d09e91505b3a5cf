"""Scheduled job: rebalance boards of score ranges, and drop generations that boards have left."""

from __future__ import annotations

import structlog

from app.boards.layouts.upkeep import rebalance_boards
from app.core import clock
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    done = rebalance_boards(clock.now())
    if done.moved or done.rebuilt or done.dropped:
        log.info(
            "boards_rebalanced",
            moved=done.moved,
            rebuilt=",".join(done.rebuilt),
            dropped=done.dropped,
        )
