"""Job: sends what one push service, or the mail server, is to take, for as long as it takes it."""

from __future__ import annotations

from datetime import timedelta

from app.core import clock
from app.fantasy.notices import deliveries
from workers.context import in_app

SECONDS = 20  # of one job; then the others have their turn


@in_app
def run(service: str) -> None:
    """Running twice, or beside another, sends nothing twice.

    It ends with the first that is not taken.
    """
    ends = clock.now() + timedelta(seconds=SECONDS)
    while (now := clock.now()) < ends:
        if not deliveries.send_due(service, now):
            break
