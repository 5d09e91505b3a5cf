"""Continuously compares the boards in Redis with PostgreSQL, and repairs them.

Every few seconds it checks each part of each board for loss, and compares the players of one board
after another (app/boards/verification). Running two verifiers does no harm, because both find
the same differences. Run it with `python -m workers.verifier`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import redis
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from app import create_worker_app
from app.boards.verification.services import Verifier, mend
from app.core import clock
from app.core.db import db
from app.core.errors import one_line
from app.core.postgres.timeouts import Use
from app.embedded.stack import with_running_stack
from app.setting_reading import settings_from_env
from workers import context, watch
from workers.process import Process, Progress, progress

log = structlog.get_logger(__name__)

LOOK_SECONDS = 5.0
BUSY_LOOK_SECONDS = 1.0  # while boards are due for their comparison
STEPS_SECONDS = 0.1  # comparisons may take this long per round
RETRY_SECONDS = 1.0


def look(verifier: Verifier, stopping: Callable[[], bool] = lambda: False) -> bool:
    """Run one round: quick check, repairs, comparisons for STEPS_SECONDS.

    Returns whether boards are still due for their comparison. Raises RedisAway.
    """
    verifier.quick(clock.now())
    mend(clock.now(), lambda name, players: log.info("board_mended", board=name, players=players))
    until = time.monotonic() + STEPS_SECONDS
    while not stopping() and time.monotonic() < until:
        if verifier.step(clock.now()) is None:
            return False
    return True


def work(
    app: Flask,
    stopping: Callable[[], bool],
    wait: Callable[[float], object],
    progress: Progress = progress,
) -> None:
    """Continue until stopped; wait while a store is unavailable."""
    verifier = Verifier()
    with app.app_context():
        while not stopping():
            began = time.monotonic()
            try:
                progress.begin()
                seconds = BUSY_LOOK_SECONDS if look(verifier, stopping) else LOOK_SECONDS
                progress.done()
            except (redis.RedisError, SQLAlchemyError) as error:
                log.warning("waiting", reason=one_line(error))
                db.session.remove()
                seconds = RETRY_SECONDS
            wait(max(0.0, began + seconds - time.monotonic()))


def run(process: Process, progress: Progress) -> None:
    """Verify until stopped."""
    work(context.application(), process.stopping.is_set, process.stopping.wait, progress)


def main() -> None:
    """Run the verifier and the watch until stopped."""
    settings = with_running_stack(settings_from_env())
    process = Process("verifier", settings)
    context.use(create_worker_app(settings, Use.UPKEEP, threads=2))
    process.run_beside("watch", lambda progress: watch.run(process, progress))
    run(process, progress)


if __name__ == "__main__":
    main()
