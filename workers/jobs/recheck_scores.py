"""Scheduled job: check recorded games and the anomaly model for scores that are on boards."""

from __future__ import annotations

import structlog

from app.core import clock
from app.scores.review.recheck import recheck_scores
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    looked = recheck_scores(clock.now())
    if looked.withheld:
        log.info("scores_withheld", attempts=looked.attempts, withheld=looked.withheld)
