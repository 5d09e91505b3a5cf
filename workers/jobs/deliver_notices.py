"""Scheduled job: enqueue a job for each push service, and for mail, that has notices to send."""

from __future__ import annotations

from app.core import clock, jobs
from app.fantasy.jobs import SEND_NOTICES
from app.fantasy.notices import deliveries
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing."""
    now = clock.now()
    for service in deliveries.due_services(now):
        jobs.send_coalesced(SEND_NOTICES, service, service, timeout=120)
    deliveries.trim(now)
