"""Job: sends what is due for one webhook, in order (PRODUCT, integrators). Retries are the deliveries' own."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from app.core import clock
from app.scores import webhooks
from workers.context import in_app


@in_app
def run(webhook_id: str) -> None:
    """Running twice changes nothing; beside another that sends to the same webhook it does nothing."""
    ends = clock.now() + timedelta(seconds=webhooks.SEND_SECONDS)
    while (now := clock.now()) < ends and webhooks.send_next(UUID(webhook_id), now) is not None:
        pass
