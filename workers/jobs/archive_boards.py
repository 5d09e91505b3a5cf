"""Scheduled job: archive boards whose time in PostgreSQL and Redis is over (PRODUCT D4)."""

from __future__ import annotations

import structlog

from app.boards.archive.services import BoardArchiveBusyError, archive_boards
from app.core import clock
from app.core.blob_store import blob_store
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Do nothing if another run is at work. Running twice changes nothing."""
    try:
        done = archive_boards(blob_store(), clock.now())
    except BoardArchiveBusyError:
        log.info("board_archive_busy")
        return
    if done.archived or done.cleared or done.changed:
        log.info(
            "boards_archived", archived=done.archived, cleared=done.cleared, changed=done.changed
        )
