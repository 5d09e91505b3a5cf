"""Job: poll one tournament's provider, because it is time or our own record has changed."""

from __future__ import annotations

from uuid import UUID

import structlog

from app.core import clock
from app.predictions.matches import polling
from app.predictions.matches.polling import Outcome
from workers.context import in_app

log = structlog.get_logger(__name__)

TRIES = 3  # while others poll the same tournament at the same time


@in_app
def run(tournament_id: str) -> None:
    """Running twice changes nothing.

    A poll that another one overtook may have missed the last change: once more.
    """
    tournament = UUID(tournament_id)
    for _ in range(TRIES):
        polled = polling.poll(tournament, clock.now())
        if polled.outcome is Outcome.CHANGED:
            rounds, settlements = polled.rounds, polled.settlements
            log.info(
                "provider_polled",
                tournament_id=tournament_id,
                rounds=rounds,
                settlements=settlements,
            )
        if polled.outcome is not Outcome.OVERTAKEN:
            return
