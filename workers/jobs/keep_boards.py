"""Job, by the clock: keeps boards of score ranges even and whole, and drops generations that boards have left."""

from __future__ import annotations

import structlog

from app.boards.upkeep import keep_boards
from app.core import clock
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    kept = keep_boards(clock.now())
    if kept.moved or kept.mended or kept.dropped:
        log.info("boards_kept", moved=kept.moved, mended=",".join(kept.mended), dropped=kept.dropped)
