"""Job: send what is due to one member's webhooks, the longest waiting first.

Retries are the deliveries' own (PRODUCT, integrators).
"""

from __future__ import annotations

from datetime import timedelta

from app.core import clock
from app.scores.webhooks import services as webhooks
from workers.context import in_app


@in_app
def run(owner_id: int) -> None:
    """Running twice changes nothing; beside another that sends for the same member it does nothing.

    It ends with the first delivery that fails: a receiver that does not answer costs the others one
    wait a turn.
    """
    if not isinstance(owner_id, int):
        return  # sent by a version that sent one for each webhook; the clock sends again
    ends = clock.now() + timedelta(seconds=webhooks.SEND_SECONDS)
    while (now := clock.now()) < ends:
        webhook_id = webhooks.next_of(owner_id, now)
        if webhook_id is None or webhooks.send_next(webhook_id, now) != webhooks.DELIVERED:
            break
