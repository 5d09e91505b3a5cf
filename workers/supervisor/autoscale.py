"""Computes the number of ingestion workers from the game schedule and the queue (PRODUCT A7).

The supervisor starts and ends workers accordingly. Under `pressbox up` a part of another process
computes the number and writes it to a file, so that the supervisor needs no store's client.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

import psycopg
import redis
import structlog
from rq import Queue

from app.core import clock
from app.core.atomic_files import write_whole
from app.core.errors import one_line
from app.core.postgres.connections import connect
from app.core.postgres.timeouts import Use
from app.settings import Settings
from workers.process import Process, Progress
from workers.supervisor.children import LOOK_SECONDS, count_file

log = structlog.get_logger(__name__)

BEFORE_KICKOFF = timedelta(minutes=30)
# even the longest games, with overtime and a lightning delay, are over by then
AFTER_KICKOFF = timedelta(hours=5)
GAMES_A_WORKER = 4
JOBS_A_WORKER = 50
INGEST_QUEUE = "ingest"  # as in app/core/jobs.py, which needs Flask


def workers_wanted(
    now: datetime, kickoffs: Iterable[datetime], waiting_jobs: int, least: int, most: int
) -> int:
    """Return the number of ingestion workers that there should be, at most `most`.

    There is one worker per 4 games (rounded up), but at least `least`, and one more per 50 waiting
    jobs. A game counts from 30 minutes before its kickoff to 5 hours after it, both included.

    Worked example: fourteen games on a Sunday with 120 jobs waiting, between 2 and 8: 4 + 2 = 6.
    """
    games = sum(
        1 for kickoff in kickoffs if kickoff - BEFORE_KICKOFF <= now <= kickoff + AFTER_KICKOFF
    )
    for_games = max(least, -(-games // GAMES_A_WORKER))
    return min(for_games + waiting_jobs // JOBS_A_WORKER, most)


def look(settings: Settings, connection: redis.Redis, now: datetime) -> int:
    """Return workers_wanted for the current schedule and queue.

    Raises psycopg.Error, redis.RedisError.
    """
    with connect(settings.direct_database(Use.INGEST)) as database:
        rows = database.execute(
            "SELECT kickoff FROM games WHERE kickoff BETWEEN %s AND %s",
            (now - AFTER_KICKOFF, now + BEFORE_KICKOFF),
        ).fetchall()
    waiting = Queue(INGEST_QUEUE, connection=connection).count
    return workers_wanted(
        now, [kickoff for (kickoff,) in rows], waiting, settings.workers, settings.most_workers
    )


def count(settings: Settings, connection: redis.Redis) -> int | None:
    """As `look`, now; None if the schedule or the queue could not be read."""
    try:
        return look(settings, connection, clock.now())
    except (psycopg.Error, redis.RedisError) as error:
        log.warning("workers_not_counted", reason=one_line(error))
        return None


def run(process: Process, progress: Progress) -> None:
    """Write the number for the supervisor until stopped."""
    while not process.stopping.is_set():
        progress.begin()
        if (number := count(process.settings, process.redis)) is not None:
            write_whole(count_file(process.settings.var), str(number))
        progress.done()
        process.stopping.wait(LOOK_SECONDS)
