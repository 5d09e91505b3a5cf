"""Computes the number of ingestion workers from the game schedule and the queue (PRODUCT A7).

Called by the supervisor, which starts and ends workers accordingly.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

import redis
from rq import Queue

from app.core.postgres.connections import connect
from app.core.postgres.timeouts import Use
from app.settings import Settings

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
