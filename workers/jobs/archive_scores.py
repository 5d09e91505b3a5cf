"""Scheduled job: archive months of scores that are older than SCORE_MONTHS (decision 104)."""

from __future__ import annotations

import structlog
from flask import current_app

from app.core import clock
from app.core.blob_store import blob_store
from app.scores.archive.services import ScoreArchiveBusyError, archive_scores
from app.settings import Settings
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Do nothing if another run is at work. Running twice changes nothing."""
    settings: Settings = current_app.config["PRESSBOX"]
    try:
        outcome = archive_scores(blob_store(), clock.now(), settings.score_months)
    except ScoreArchiveBusyError:
        log.info("score_archive_busy")
        return
    for month, reasons in outcome.waiting.items():
        log.info("score_month_waits", month=str(month), reasons="; ".join(reasons))
