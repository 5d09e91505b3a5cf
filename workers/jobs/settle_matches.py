"""Job: settle a tournament's matches that ended at the same moment (`match_finished`, C7)."""

from __future__ import annotations

from typing import Any

import structlog

from app.core import clock
from app.predictions.projections import store as projections
from app.predictions.settlement import requests
from app.predictions.settlement import services as settlement
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run(payload: Any) -> None:
    """Settle the matches of `payload` (requests.MatchFinished), then project the tournament.

    Running twice awards no points twice.
    """
    request = requests.read(payload)
    requests.check(request)
    version = None
    if not settlement.is_applied(request.match_id, request.finished_at):
        settled = settlement.settle(request.tournament_id, request.finished_at, clock.now())
        version = settled.version
        log.info(
            "matches_settled",
            tournament_id=str(request.tournament_id),
            matches=settled.matches,
            players=settled.players,
        )
    projections.project(request.tournament_id, version)
