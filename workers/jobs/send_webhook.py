"""Job: send the due deliveries of one member's webhooks, the longest waiting first.

Retries are scheduled per delivery (PRODUCT, integrators).
"""

from __future__ import annotations

from datetime import timedelta

from app.core import clock
from app.scores.webhooks import services as webhooks
from workers.context import in_app


@in_app
def run(owner_id: int) -> None:
    """Running twice changes nothing, and a second run for the same member does nothing.

    The job ends with the first delivery that fails, so that a receiver that does not answer delays
    the others by one timeout per run.
    """
    if not isinstance(owner_id, int):
        return  # enqueued by an old version, per webhook; the scheduler sends another
    ends = clock.now() + timedelta(seconds=webhooks.SEND_SECONDS)
    while (now := clock.now()) < ends:
        webhook_id = webhooks.next_of(owner_id, now)
        if webhook_id is None or webhooks.send_next(webhook_id, now) != webhooks.DELIVERED:
            break
