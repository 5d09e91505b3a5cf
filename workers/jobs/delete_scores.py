"""Scheduled job, also on demand: delete games, modes and integrators that are marked for it."""

from __future__ import annotations

import structlog

from app.boards.archive.services import BoardArchiveBusyError
from app.core import clock
from app.core.batch_failures import Failures
from app.core.blob_store import blob_store
from app.scores.deletion import integrators as integrator_deletion
from app.scores.deletion.games import Deleted, delete_marked
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Do nothing while boards are being archived; the next run deletes. It can run twice."""
    failures, done, integrators = Failures("deletion_incomplete"), Deleted(0, 0), 0
    with failures.apart("games and modes"):
        try:
            done = delete_marked(blob_store(), clock.now())
        except BoardArchiveBusyError:
            log.info("deletion_waits_for_the_archive")
            return
    with failures.apart("integrators"):
        integrators = integrator_deletion.delete_marked(clock.now())
    if done.modes or done.games or integrators:
        log.info("scores_deleted", modes=done.modes, games=done.games, integrators=integrators)
    failures.raise_first()
