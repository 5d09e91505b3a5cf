"""Job, by the clock: makes good what a crash or a lost Redis left undone in predictions."""

from __future__ import annotations

import structlog

from app.core.db import db
from app.predictions import projection
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    projected = projection.reconcile()
    db.session.rollback()
    if projected:
        log.info("predictions_reconciled", tournaments=projected)
