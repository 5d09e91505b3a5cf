"""Members of a tournament: joining, and counting the members for the leaderboard.

A first guess or joining a pool makes a player a member, with 0 points. Joining does not raise the
tournament's version itself, because it would have to wait for a settlement that holds the lock. The
settlement worker raises it right afterwards.
"""

from __future__ import annotations

from uuid import UUID

import structlog
from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert

from app.accounts.sanctions import SEEN_PLAYER
from app.core import jobs
from app.core.db import db
from app.core.redis.clients import RedisAway
from app.predictions.jobs import RECONCILE_PREDICTIONS
from app.predictions.models import TournamentPoints

log = structlog.get_logger(__name__)

JOB_SECONDS = 900

_COUNT = text(
    f"""
    UPDATE tournaments t SET members = f.members, version = t.version + 1
    FROM (
      SELECT t.id, c.members
      FROM tournaments t
      JOIN (SELECT tournament_id, count(*) FILTER (WHERE {SEEN_PLAYER.format("p.player_id")}) AS
        members
        FROM tournament_points p GROUP BY tournament_id) c
        ON c.tournament_id = t.id AND c.members <> t.members
      FOR NO KEY UPDATE OF t SKIP LOCKED
    ) f
    WHERE t.id = f.id
    """  # noqa: S608 (made of our own words alone)
)


def join(tournament_id: UUID, player_id: UUID) -> bool:
    """Make the player a member.

    The caller commits, then calls `announce`.

    Returns:
        Whether the player was not a member before.
    """
    new = (
        insert(TournamentPoints)
        .values(tournament_id=tournament_id, player_id=player_id)
        .on_conflict_do_nothing()
    )
    return db.session.scalar(new.returning(TournamentPoints.player_id)) is not None


def announce() -> None:
    """Ask the settlement worker to show new members now.

    If Redis is down, the schedule does it later.
    """
    try:
        jobs.send_coalesced(RECONCILE_PREDICTIONS, "members", timeout=JOB_SECONDS)
    except RedisAway as error:
        log.warning("members_not_announced", reason=type(error).__name__)


def count_anew() -> int:
    """Recount the members and raise the version of each tournament whose count changed. Commits.

    A tournament that is being settled is skipped until the next run, so that nothing waits.

    Returns:
        How many tournaments changed.
    """
    result = db.session.execute(_COUNT)
    db.session.commit()
    return int(result.rowcount)  # type: ignore[attr-defined]
