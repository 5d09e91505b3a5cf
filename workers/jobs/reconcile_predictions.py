"""Scheduled job: finish work on predictions after a crash or a lost Redis; sweep dead letters."""

from __future__ import annotations

import structlog

from app.core import clock, jobs
from app.core.db import db
from app.dead_letters import alerts, failed_jobs
from app.predictions.projections import store as projections
from app.predictions.settlement import requests
from workers.context import in_app

log = structlog.get_logger(__name__)
SWEPT = (jobs.SETTLEMENT_QUEUE, jobs.INGEST_QUEUE)  # queues whose jobs become dead letters


@in_app
def run() -> None:
    """Running twice changes nothing."""
    now = clock.now()
    dead_letters = sum(failed_jobs.sweep(queue, now) for queue in SWEPT)
    sent = requests.send_overdue(now)
    projected = projections.reconcile()
    db.session.rollback()
    closed = failed_jobs.close_settled(now)
    alerts.notify_of_messages(now)
    if dead_letters or sent or projected or closed:
        log.info(
            "predictions_reconciled",
            dead_letters=dead_letters,
            sent=sent,
            tournaments=projected,
            closed=closed,
        )
