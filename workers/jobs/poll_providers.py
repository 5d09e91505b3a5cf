"""Scheduled job: enqueue a poll per active tournament, then its pictures; remind of guesses.

It asks no provider itself, so a slow provider delays none of this.
"""

from __future__ import annotations

import structlog

from app.core import clock, jobs
from app.predictions import notices, tournaments
from app.predictions.jobs import FETCH_PICTURES, POLL_TOURNAMENT
from workers.context import in_app

log = structlog.get_logger(__name__)

POLL_SECONDS = 120  # for one provider: its answer and the changes
PICTURES_SECONDS = 120  # twice the time that one call takes


@in_app
def run() -> None:
    """Running twice polls each provider at most twice, and changes nothing."""
    polled = [str(tournament_id) for tournament_id in tournaments.polled()]
    for job_type, seconds in (
        (POLL_TOURNAMENT, POLL_SECONDS),
        (FETCH_PICTURES, PICTURES_SECONDS),
    ):
        for tournament_id in polled:  # all matches come before any pictures
            key = f"clock:{tournament_id}"
            jobs.send_coalesced(job_type, key, tournament_id, timeout=seconds)
    if reminded := notices.remind_missing(clock.now()):
        log.info("members_reminded", notices=reminded)
