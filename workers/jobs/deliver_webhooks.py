"""Job, by the clock: makes deliveries of what came into the feed, and sends a job for each member
who has one due.
"""

from __future__ import annotations

from app.core import clock, jobs
from app.scores.jobs import SEND_WEBHOOK
from app.scores.webhooks import services as webhooks
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing: what is made is not made again, and one that is being sent to
    is left alone.
    """
    now = clock.now()
    webhooks.collect(now)
    for owner_id in webhooks.due_owners(now):
        jobs.send_coalesced(SEND_WEBHOOK, str(owner_id), owner_id, timeout=60)
