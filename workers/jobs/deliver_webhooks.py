"""Scheduled job: create deliveries from the feed, and enqueue a job per member who has one due."""

from __future__ import annotations

from app.core import clock, jobs
from app.scores.jobs import SEND_WEBHOOK
from app.scores.webhooks import services as webhooks
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing.

    Deliveries are not created again, and a member whose deliveries are being sent is left alone.
    """
    now = clock.now()
    webhooks.collect(now)
    for owner_id in webhooks.due_owners(now):
        jobs.send_coalesced(SEND_WEBHOOK, str(owner_id), owner_id, timeout=60)
