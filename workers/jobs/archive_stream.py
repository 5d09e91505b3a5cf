"""Scheduled job: archive messages of the stream that are older than a limit (PRODUCT A5)."""

from __future__ import annotations

from datetime import timedelta

import structlog
from flask import current_app

from app.core import clock
from app.core.blob_store import blob_store
from app.record.rebuild import identifier
from app.settings import Settings
from app.stream.archive import ArchiveBusyError, ArchiveRun, archive
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Do nothing if another run is at work. Running twice changes nothing."""
    settings: Settings = current_app.config["PRESSBOX"]
    now = clock.now()
    before = now - timedelta(days=settings.archive_after_days)
    try:
        outcome = archive(
            settings, ArchiveRun(blob_store(), now, identifier(), lambda _: None), before=before
        )
    except ArchiveBusyError:
        log.info("archive_busy")
        return
    for fault in outcome.faults:
        log.warning("archive_fault", fault=fault)
    log.info(
        "archive_done",
        segments=outcome.segments,
        messages=outcome.messages,
        known=outcome.known,
        adopted=outcome.adopted,
        strangers=outcome.strangers,
        unrepaired=outcome.unrepaired,
    )
