"""Job: update team sheets, league tables and boards of a gameweek after changes in its games."""

from __future__ import annotations

import time

import structlog
from psycopg.errors import LockNotAvailable
from sqlalchemy.exc import OperationalError

from app.core import clock
from app.core.db import db
from app.core.errors import one_line
from app.fantasy.gameweeks import refreshing
from app.fantasy.gameweeks.live import refresh_behind
from workers.context import in_app
from workers.time_limit import JobTimedOut

log = structlog.get_logger(__name__)

REMEDY = (
    "raise DATABASE_TIMEOUTS_REFRESH or REFRESH_SECONDS, or give PostgreSQL more memory and "
    "processors"
)


@in_app
def run(gameweek_id: int) -> None:
    """Running twice changes nothing.

    If the refresh fails, its error is raised; recording plays is not affected. If another session
    holds the gameweek's lock until the lock timeout, enqueue another refresh and return, so that
    other gameweeks get their turn.
    """
    began = time.monotonic()
    try:
        moved = refresh_behind(gameweek_id, clock.now())
    except (Exception, JobTimedOut) as error:
        if _is_held(error):
            db.session.rollback()
            refreshing.ask(gameweek_id)
            log.info(
                "refresh_waits",
                gameweek_id=gameweek_id,
                reason="another session holds a lock of the week",
            )
            return
        # The tables stay out of date. The scheduled job asks again, with growing delays.
        log.error(
            "refresh_failed",
            gameweek_id=gameweek_id,
            seconds=round(time.monotonic() - began, 1),
            again_in_seconds=refreshing.pause(gameweek_id),
            reason=one_line(error),
            remedy=REMEDY,
        )
        raise
    refreshing.resume(gameweek_id)
    seconds = round(time.monotonic() - began, 3)
    log.info("refreshed", gameweek_id=gameweek_id, leagues=len(moved), seconds=seconds)


def _is_held(error: BaseException) -> bool:
    return isinstance(error, OperationalError) and isinstance(error.orig, LockNotAvailable)
