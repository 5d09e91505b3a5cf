"""Causes failures in tests of settlement and checks that nothing was lost or doubled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from rq.job import Job
from sqlalchemy import select, text

from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.embedded.stack import Stack
from app.predictions import keys
from app.predictions.jobs import SETTLE_MATCHES
from app.predictions.models import Tournament
from app.predictions.points import PRESETS
from app.predictions.projections import store as projections
from tests.predictions.plain import audited, plain_points
from tests.worlds.tournament import World

Measured = Callable[[str], None]


def check(cup: World, measured: Measured, what: str) -> None:
    """Points, audit and the leaderboard in Redis are what the plainest recomputation says."""
    expected, points = plain_points(cup, PRESETS["winner"]), cup.points()
    lost = sum(max(0, right - points[name]) for name, right in expected.items())
    doubled = sum(max(0, points[name] - right) for name, right in expected.items())
    assert (lost, doubled) == (0, 0)
    assert sum(points.values()) > 0
    assert audited(cup) == sum(points.values())
    raw = jobs_redis().get(keys.leaderboard_key(cup.id))
    assert raw is not None
    names = {str(player): name for name, player in cup.players.items()}
    projected_points = {
        names[str(entry.member_id)]: entry.points for entry in projections.read_entries(cup.id)
    }
    assert projected_points == points
    measured(
        f"{what}: {sum(points.values()) // 100} points of {len(points)} members, {lost} lost, "
        f"{doubled} doubled"
    )


def settlement_jobs() -> list[Job]:
    """The jobs that wait to settle something, in the order of the queue."""
    return [
        job
        for job in jobs.queue(jobs.SETTLEMENT_QUEUE).jobs
        if job.func_name == SETTLE_MATCHES.name
    ]


def projected(cup: World) -> bool:
    """Whether Redis shows the version that PostgreSQL has."""
    version = db.session.scalar(select(Tournament.version).where(Tournament.id == cup.id))
    db.session.rollback()
    version_shown: Any = jobs_redis().get(keys.version_key(cup.id))
    return version_shown is not None and int(version_shown) == version


@contextmanager
def held_tournament(cup: World, stack: Stack) -> Iterator[psycopg.Connection[Any]]:
    """Another session holds the row of the tournament until the block ends, or it commits."""
    with psycopg.connect(stack.settings.psycopg_url) as holder:
        holder.execute("SELECT id FROM tournaments WHERE id = %s FOR UPDATE", (cup.id,))
        yield holder
        holder.rollback()


def waits_for_the_lock() -> bool:
    """Whether a process of the settlement's kind waits for a lock."""
    waiting = db.session.scalar(
        text(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE application_name = 'pressbox-refresh' AND wait_event_type = 'Lock'"
        )
    )
    return bool(waiting)
