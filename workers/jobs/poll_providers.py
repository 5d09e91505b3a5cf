"""Job, by the clock: polls every active tournament's provider, fetches missing pictures, reminds of missing guesses."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import structlog

from app.core import clock
from app.core.db import db
from app.predictions import assets, notices, polling, tournaments
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice asks the providers twice and changes nothing. One that fails never stops the others."""
    for tournament_id in tournaments.polled():
        if _tried(tournament_id, lambda found: log_polled(found, polling.poll(found, clock.now()))):
            _tried(tournament_id, lambda found: assets.fetch_missing(found, clock.now()))
    if reminded := notices.remind_missing(clock.now()):
        log.info("members_reminded", notices=reminded)


def _tried(tournament_id: UUID, step: Callable[[UUID], object]) -> bool:
    try:
        step(tournament_id)
    except Exception:
        db.session.rollback()
        log.exception("poll_broken", tournament_id=str(tournament_id))
        return False
    return True


def log_polled(tournament_id: UUID, polled: polling.Polled) -> None:
    if polled.outcome is polling.Outcome.CHANGED:
        log.info(
            "provider_polled",
            tournament_id=str(tournament_id),
            rounds=polled.rounds,
            settlements=polled.settlements,
        )
