"""Job: poll one tournament's provider, on schedule or because our own record has changed."""

from __future__ import annotations

from uuid import UUID

import structlog

from app.core import clock
from app.predictions.matches import polling
from app.predictions.matches.polling import Outcome
from workers.context import in_app

log = structlog.get_logger(__name__)

TRIES = 3  # if other runs poll the same tournament at the same time


@in_app
def run(tournament_id: str) -> None:
    """Running twice changes nothing.

    If another poll overtook this one, it polls again, because the other may have missed the last
    change.
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
