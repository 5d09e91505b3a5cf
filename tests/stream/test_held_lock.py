"""Under load another session holds what the refresh needs.

The record goes on, and all is right soon afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

import psycopg
import pytest
from sqlalchemy import func, select, text

from app.core import clock, jobs
from app.core.db import db
from app.core.postgres.advisory_locks import Lock
from app.embedded.stack import Stack
from app.fantasy.standings.boards import table_points
from app.fantasy.standings.models import League
from app.record.backlog import ingested_count
from app.record.models import RecordedEvent
from scorer_console.record.numbering import Entry
from tests.waiting import until
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.scorer import submit
from workers import schedule
from workers.supervisor.children import Children

GAMES = ("held-1", "held-2", "held-3", "held-4")
PROCESSES = ("worker", "refresh", "settlement", "upkeep", "bridge", "relay", "schedule")
ON_BOARDS = sum(job_type.queue == jobs.BOARDS_QUEUE for job_type in schedule.SCHEDULE)


def connections(since: datetime) -> int:
    """Of the processes that were started since then to PostgreSQL.

    The test's own stand as pressbox-web.
    """
    workers = "application_name ~ '^pressbox-(ingest|refresh|upkeep)' AND backend_start >= :since"
    count = db.session.scalar(
        text(f"SELECT count(*) FROM pg_stat_activity WHERE {workers}"), {"since": since}
    )
    return int(count or 0)


@pytest.mark.parametrize(
    "more", [20, pytest.param(240, marks=[pytest.mark.full, pytest.mark.timeout(900)])]
)
def test_a_lock_held_under_load_stops_neither_the_record_nor_anything_for_ever(
    more: int,
    league: League,
    start: Callable[..., Children],
    stack: Stack,
    measured: Callable[[str], None],
) -> None:
    for game in GAMES:
        make_game(game)
    since = db.session.scalar(select(func.clock_timestamp()))
    start(*PROCESSES)
    refresh_log = stack.var / "logs" / f"refresh-{PROCESSES.index('refresh')}.log"
    drives = enter_drive(0)
    until(lambda: table_points(league.id, 1)[1] == 14_200, "the first drive is in the table")
    lags: list[float] = []
    held_by: list[int] = []
    queued: list[int] = []
    with psycopg.connect(stack.settings.psycopg_url, autocommit=True) as holder:
        holder.execute("SELECT pg_advisory_lock(%s, 1)", (Lock.GAMEWEEK,))
        began, log_begins = time.monotonic(), refresh_log.stat().st_size
        for _ in range(more):
            entered = time.monotonic()
            drives = enter_drive(drives)
            until(in_the_record(drives), "entered while the lock is held, and in the record")
            lags.append(time.monotonic() - entered)
            held_by.append(connections(since))
            queued.append(jobs.queue(jobs.BOARDS_QUEUE).count)
        until(
            lambda: b"refresh_waits" in refresh_log.read_bytes()[log_begins:],
            "a refresh has given up on the lock",
        )
        behind = 14_200 * drives - table_points(league.id, 1)[1]
        assert behind == 14_200 * (drives - 1), "the table waits for the lock"
        holder.execute("SELECT pg_advisory_unlock(%s, 1)", (Lock.GAMEWEEK,))
    released = time.monotonic()
    waited = released - began
    right = {1: 14_200 * drives, 2: 12_500 * drives, 3: 0}
    until(lambda: table_points(league.id, 1) == right, "the table is right")
    after = time.monotonic() - released
    lost, doubled = compare(drives)
    lags.sort()
    measured(
        f"lock held {waited:.0f} s: {len(lags)} drives ({11 * len(lags)} events) on the record "
        "meanwhile, "
        f"median {lags[len(lags) // 2]:.2f} s, longest {lags[-1]:.2f} s; tables right {after:.1f} "
        "s after the "
        f"release; at most {max(held_by)} connections, {max(queued)} jobs waiting; "
        f"lost {lost}, doubled {doubled}"
    )
    assert (lost, doubled) == (0, 0)
    assert 0 < max(held_by) <= 2 * len(PROCESSES)
    assert max(queued) <= ON_BOARDS + 1


def enter_drive(number: int) -> int:
    """Enters one more touchdown drive in the next of the games.

    Returns how many drives there are.
    """
    game = GAMES[number % len(GAMES)]
    submit(
        game,
        [Entry(body, f"{number}:{i}") for i, body in enumerate(touchdown_drive())],
        clock.now(),
    )
    return number + 1


def in_the_record(drives: int) -> Callable[[], bool]:
    total = len(touchdown_drive()) * drives
    return lambda: sum(ingested_count(game) for game in GAMES) == total


def compare(drives: int) -> tuple[int, int]:
    """Events that are missing from the record, and those that are in it more than once."""
    expected = {
        (game, number)
        for place, game in enumerate(GAMES)
        for number in range(1, 1 + len(touchdown_drive()) * len(range(place, drives, len(GAMES))))
    }
    recorded = [
        tuple(row)
        for row in db.session.execute(select(RecordedEvent.game_id, RecordedEvent.event_number))
    ]
    return len(expected - set(recorded)), len(recorded) - len(set(recorded) & expected)
