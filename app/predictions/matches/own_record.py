"""Requests polls of tournaments on Pressbox's own record as soon as a game changes.

Other providers are only polled on schedule. The poll itself is in polling.py.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from sqlalchemy import text

from app.core import jobs
from app.core.db import db
from app.predictions.jobs import POLL_TOURNAMENT

POLL_SECONDS = 60

_FOLLOWING = text(
    """
    SELECT s.tournament_id FROM provider_sources s JOIN tournaments t ON t.id = s.tournament_id
    WHERE t.is_active AND s.kind = 'official-record' AND s.address IN (
      SELECT concat_ws('/', g.competition, g.season, g.season_type) FROM games g
        WHERE g.id = ANY(:games)
    )
    ORDER BY s.tournament_id
    """
)


def ask_for_games(games: Collection[str]) -> None:
    """Request a poll of the active tournaments that these games belong to.

    At most one poll per tournament waits. Call it after the commit that changed the games. The
    settlement worker polls, so that no slow external server delays it. If a request is lost, the
    scheduled poll makes up for it. Raises RedisAway.
    """
    for tournament_id in db.session.scalars(_FOLLOWING, {"games": sorted(games)}).all():
        name = str(tournament_id)
        jobs.send_coalesced(
            replace(POLL_TOURNAMENT, queue=jobs.SETTLEMENT_QUEUE), name, name, timeout=POLL_SECONDS
        )
