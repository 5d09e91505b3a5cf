"""A restore begins a new timeline.

Nothing that was derived from the one before is found any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest
from flask import Flask
from rq.job import Job
from sqlalchemy import text

from app.accounts.jobs import MAIL_CONFIRMATION
from app.boards.verification.rebuild import is_ours
from app.core import jobs, restore_epoch
from app.core.db import db
from app.core.redis.clients import boards_redis, jobs_redis
from app.dead_letters import failed_jobs
from app.fantasy.jobs import REFRESH_GAMEWEEK
from app.fantasy.standings.boards import league_board
from app.scores.processing import reconcile
from tests.worlds.boards import NOW
from workers.rq_worker import KINDS, make_worker


@pytest.fixture
def later(app: Flask) -> Iterator[None]:
    app.extensions["timeline"] = 7
    yield
    app.extensions["timeline"] = 0


def test_each_timeline_is_later_than_the_one_that_it_replaced(app: Flask) -> None:
    """The backup that is restored does not know of a restore after it was made.

    The clock tells them apart.
    """
    with psycopg.connect(app.config["PRESSBOX"].owner_url) as connection:
        first = restore_epoch.begin(connection, NOW)
        assert restore_epoch.begin(connection, NOW) == first + 1
        connection.execute("DELETE FROM timeline")
        assert restore_epoch.begin(connection, NOW + timedelta(minutes=2)) == first + 2
        connection.rollback()


def test_a_process_that_lost_its_connections_learns_of_the_timeline_when_it_has_one_again(
    app: Flask,
) -> None:
    """PostgreSQL died and was restored on another server while this process went on trying."""
    db.session.execute(text("SELECT 1"))
    assert restore_epoch.epoch() == 0
    db.session.remove()
    db.engine.dispose()
    with psycopg.connect(app.config["PRESSBOX"].owner_url) as connection:
        number = restore_epoch.begin(connection, NOW)
    db.session.execute(text("SELECT 1"))
    assert restore_epoch.epoch() == number
    assert restore_epoch.stamp(2**28 - 1) < 2**53, "a double counts in ones"


def test_a_table_of_a_lost_timeline_is_not_found_whatever_its_version(app: Flask) -> None:
    league_board(1, 1).publish(900, {"1": 5000})
    app.extensions["timeline"] = 7
    table = league_board(1, 1)
    assert table.published() is None
    assert table.publish(3, {"1": 1000})
    assert table.published() == (3, {"1": 1000})


def test_boards_of_another_timeline_are_filled_anew_and_the_old_ones_dropped(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = []
    monkeypatch.setattr(reconcile, "mark_all_stale", lambda now: marked.append(now) or 0)
    reconcile.reconcile(NOW)
    league_board(1, 1).publish(900, {"1": 5000})
    boards_redis().set("pressbox:{table-1}:shown", 4)
    before = set(boards_redis().keys("lb:*") + boards_redis().keys("pressbox:{*"))
    app.extensions["timeline"] = 7
    league_board(1, 1).publish(3, {"1": 1000})
    reconcile.reconcile(NOW)
    reconcile.reconcile(NOW)
    assert marked == [NOW, NOW], "once in each timeline"
    assert len(before) > 2
    assert not before & set(boards_redis().keys())
    assert league_board(1, 1).published() == (3, {"1": 1000})


@pytest.mark.parametrize(
    "key", ["lb:filled@7", "lb:friends:{a}:g:m:w@7", "lb:friends:{a}:g:m:w@7:about", "live@7"]
)
def test_keys_say_whose_timeline_they_are_of(app: Flask, later: None, key: str) -> None:
    assert is_ours(key)
    assert is_ours(league_board(1, 1).homes[0].ties)
    app.extensions["timeline"] = 8
    assert not is_ours(key)
    assert not is_ours("lb:{g:m:w:g7.1s0}:ties")
    app.extensions["timeline"] = 0
    assert not is_ours(key)
    assert is_ours("lb:{g:m:w:g1s0}:ties")


def run_all(app: Flask) -> None:
    make_worker(KINDS["upkeep"], app.config["PRESSBOX"]).work(burst=True, logging_level="WARNING")


def test_a_job_of_a_lost_timeline_has_no_effect(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it names, here a member's id, may be somebody else after a restore."""
    mailed = []
    monkeypatch.setattr(
        "workers.jobs.mail_confirmation.run", lambda *arguments: mailed.append(arguments)
    )
    jobs.send(MAIL_CONFIRMATION, 7, "ann@example.com")
    app.extensions["timeline"] = 7
    jobs.send(MAIL_CONFIRMATION, 7, "bob@example.com")
    run_all(app)
    assert mailed == [(7, "bob@example.com")]
    queue = jobs.queue(jobs.UPKEEP_QUEUE)
    assert queue.intermediate_queue.get_job_ids() == []
    assert len(jobs_redis().keys("rq:job:*")) == 1, "the dropped one left nothing"


def test_a_waiting_job_of_a_lost_timeline_does_not_stand_for_a_new_one(app: Flask) -> None:
    """The promise of send_coalesced: a job begins after the call."""
    send = (REFRESH_GAMEWEEK, "1", 1)
    assert jobs.send_coalesced(*send, timeout=60)
    assert not jobs.send_coalesced(*send, timeout=60)
    app.extensions["timeline"] = 7
    assert jobs.send_coalesced(*send, timeout=60)


def test_a_failed_job_of_a_lost_timeline_is_no_dead_letter_that_somebody_could_send_again(
    app: Flask,
) -> None:
    job = jobs.send(MAIL_CONFIRMATION, 7, "ann@example.com")
    registry = jobs.queue(jobs.UPKEEP_QUEUE).failed_job_registry
    registry.add(Job.fetch(job.id, jobs_redis(), serializer=jobs.JsonSerializer), ttl=60)
    app.extensions["timeline"] = 7
    assert failed_jobs.sweep(jobs.UPKEEP_QUEUE, NOW) == 0
    jobs_redis().delete(failed_jobs.SWEPT.format(jobs.UPKEEP_QUEUE))
    app.extensions["timeline"] = 0
    assert failed_jobs.sweep(jobs.UPKEEP_QUEUE, NOW) == 1
