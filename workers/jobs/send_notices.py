"""Job: send the due notices of one push service, or of the mail server, until one is refused."""

from __future__ import annotations

from datetime import timedelta

from app.core import clock
from app.fantasy.notices import deliveries
from workers.context import in_app

SECONDS = 20  # per job; then the other services get their turn


@in_app
def run(service: str) -> None:
    """Stop at the first notice that cannot be sent.

    Running twice, even at the same time, sends nothing twice.
    """
    ends = clock.now() + timedelta(seconds=SECONDS)
    while (now := clock.now()) < ends:
        if not deliveries.send_due(service, now):
            break
