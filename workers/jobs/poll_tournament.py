"""Job: polls one tournament's provider now, as its games in our own record have changed."""

from __future__ import annotations

from uuid import UUID

from app.core import clock
from app.predictions import polling
from app.predictions.polling import Outcome
from workers.context import in_app
from workers.jobs.poll_providers import log_polled

TRIES = 3  # while others poll the same tournament at the same time


@in_app
def run(tournament_id: str) -> None:
    """Running twice changes nothing. A poll that another one overtook may have missed the last change: once more."""
    wanted = UUID(tournament_id)
    for _ in range(TRIES):
        polled = polling.poll(wanted, clock.now())
        log_polled(wanted, polled)
        if polled.outcome is not Outcome.OVERTAKEN:
            return
