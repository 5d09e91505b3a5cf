"""The five failure scenarios of the design, each caused for real.

Nothing is lost and nothing doubled.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
import redis
from flask import Flask
from sqlalchemy import select, update

from app.accounts.models import Member
from app.core import clock, jobs
from app.core.db import db
from app.core.postgres.timeouts import Timeouts, Use
from app.core.redis.clients import jobs_redis
from app.core.redis.connections import connect
from app.dead_letters import letters
from app.dead_letters.models import DeadJob
from app.dead_letters.replaying import Plan, Replay
from app.embedded.stack import Stack
from app.embedded.valkey import Valkey
from app.fantasy.notices.models import Notice
from app.predictions.matches import polling
from app.predictions.matches.polling import Outcome
from app.predictions.models import ProviderSource, Settlement, SettlementAudit
from app.predictions.projections import store as projections
from app.predictions.providers import fetching
from app.predictions.settlement import requests
from examples.fake_provider import FakeProvider, serve
from tests.conftest import AnotherApp
from tests.http_server import running
from tests.predictions.failing import (
    Measured,
    check,
    held_tournament,
    projected,
    settlement_jobs,
    waits_for_the_lock,
)
from tests.predictions.plain import payloads
from tests.stream.conftest import PARTS
from tests.stream.conftest import start as start
from tests.waiting import patience, until
from tests.worlds.tournament import BEFORE, END, World
from workers import schedule
from workers.jobs import reconcile_predictions, settle_matches
from workers.rq_worker import KINDS, make_worker
from workers.supervisor.children import Children
from workers.supervisor.processes import Command

MATCHES = 6
PLAYERS = 9


@pytest.fixture
def cup(world: Callable[..., World]) -> World:
    """Matches that are still to be played, each guessed by everybody."""
    cup_world = world()
    for number in range(MATCHES):
        cup_world.match(f"m{number}")
    cup_world.poll(BEFORE)
    for player in range(PLAYERS):
        for number in range(MATCHES):
            cup_world.guess(
                f"Fan{player}", f"m{number}", (player + number) % 4, (player * number) % 3
            )
    jobs.queue(jobs.SETTLEMENT_QUEUE).empty()  # of the announcement of new members
    return cup_world


def end_all(cup: World) -> None:
    """Each at another moment, so that each needs a job of its own."""
    for number in range(MATCHES):
        cup.ended(f"m{number}", (number * 2) % 5, number % 3, at=END + timedelta(minutes=number))


def long_ago() -> datetime:
    """When what waits now would be sent again, had it no job."""
    return clock.now() - timedelta(minutes=5)


# 1. Provider unavailable during poll


@pytest.fixture
def provider(cup: World, app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProvider]:
    """A provider over HTTP with a clock; at the end of the season all matches have a result."""
    end_all(cup)
    fake = FakeProvider(json.loads(msgspec.json.encode(cup.offer())), BEFORE)
    monkeypatch.setitem(
        app.config, "PRESSBOX", replace(app.config["PRESSBOX"], providers_private=True)
    )
    monkeypatch.setattr(fetching, "SECONDS", patience(60))
    with running(serve(fake)) as address:
        db.session.execute(update(ProviderSource).values(address=f"{address}/season.json"))
        db.session.commit()
        yield fake
        fake.over.set()


@pytest.mark.parametrize("fault", ["down", "slow", "error", "broken"])
@pytest.mark.fault(14)
def test_1_a_provider_that_is_away_settles_nothing_and_the_next_poll_makes_up_for_it(
    cup: World,
    provider: FakeProvider,
    fault: str,
    measured: Measured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert polling.poll(cup.id, BEFORE).outcome in (Outcome.CHANGED, Outcome.UNCHANGED)
    provider.now, provider.fault = END + timedelta(hours=5), fault
    with monkeypatch.context() as patch:
        if fault == "slow":
            patch.setattr(fetching, "SECONDS", 1.0)
        polled = polling.poll(cup.id, END)
    assert polled.outcome is Outcome.FAILED
    assert payloads(cup) == []
    assert settlement_jobs() == []
    assert set(cup.points().values()) == {0}
    provider.fault = ""
    assert polling.poll(cup.id, END + timedelta(minutes=5)).outcome is Outcome.CHANGED
    assert len(settlement_jobs()) == MATCHES
    for job in settlement_jobs():
        settle_matches.run(*job.args)
    assert polling.poll(cup.id, END + timedelta(minutes=10)).outcome is Outcome.UNCHANGED
    check(cup, measured, f"1 provider {fault}")


# 2. Settlement worker temporarily down


@pytest.mark.everyday("holds promise C11 in make test")
def test_2_jobs_wait_for_a_stopped_worker_which_drains_the_queue(
    cup: World, start: Callable[..., Children], measured: Measured
) -> None:
    end_all(cup)
    sent = requests.send(cup.poll(long_ago()).settlements)
    assert (sent, len(settlement_jobs())) == (MATCHES, MATCHES)
    reconcile_predictions.run()
    assert len(settlement_jobs()) == MATCHES, "what waits in the queue is not sent again"
    start("settlement")
    until(lambda: not payloads(cup), "the worker has settled everything")
    until(lambda: projected(cup), "and projected it")
    check(cup, measured, f"2 worker stopped with {MATCHES} jobs in the queue")


# 3. Database timeout during settlement


@pytest.fixture
def hurried(app: Flask, another_app: AnotherApp, stack: Stack) -> Flask:
    return another_app(replace(stack.settings, timeouts_refresh=Timeouts(30, 0.2, 30)), Use.REFRESH)


def work(hurried: Flask, stack: Stack) -> None:
    """The settlement's worker, until its queue is empty."""
    db.session.rollback()
    with hurried.app_context():
        make_worker(KINDS["settlement"], stack.settings).work(burst=True, logging_level="CRITICAL")


def due_at(job_id: str) -> datetime:
    due: datetime = jobs.queue(jobs.SETTLEMENT_QUEUE).scheduled_job_registry.get_scheduled_time(
        job_id
    )
    return due


def make_due(job_id: str) -> None:
    """Its time has come, and the scheduler sends it again."""
    registry = jobs.queue(jobs.SETTLEMENT_QUEUE).scheduled_job_registry
    jobs_redis().zadd(registry.key, {job_id: 0})
    schedule.retrying(jobs_redis())()


def only_job(cup: World) -> str:
    cup.ended("m1", 3, 1)
    requests.send(cup.poll(long_ago()).settlements)
    (job,) = settlement_jobs()
    return str(job.id)


def test_3_a_database_timeout_is_tried_again_after_30_60_and_120_s(
    cup: World, stack: Stack, hurried: Flask, measured: Measured
) -> None:
    job_id = only_job(cup)
    with held_tournament(cup, stack):
        for seconds in (30, 60, 120):
            began, pause = datetime.now(UTC).replace(microsecond=0), timedelta(seconds=seconds)
            work(hurried, stack)
            assert began + pause <= due_at(job_id) <= datetime.now(UTC) + pause
            reconcile_predictions.run()
            assert settlement_jobs() == [], "what waits to be tried again is not sent beside it"
            make_due(job_id)
        assert set(cup.points().values()) == {0}
    work(hurried, stack)
    assert db.session.scalar(select(DeadJob.id)) is None
    check(cup, measured, "3 database timeout, three times")


@pytest.mark.everyday("shows fault 13 in make test")
@pytest.mark.fault(13)
def test_3_a_timeout_that_stays_becomes_a_dead_letter_which_a_replay_settles_once(
    cup: World, stack: Stack, hurried: Flask, member: Callable[..., Member], measured: Measured
) -> None:
    member("olive", role="operator")
    job_id = only_job(cup)
    payload = payloads(cup)[0]
    with held_tournament(cup, stack):
        for _ in range(3):
            work(hurried, stack)
            make_due(job_id)
        work(hurried, stack)
    dead = db.session.scalars(select(DeadJob)).one()
    assert (dead.payload, dead.attempts, dead.cause, dead.done_at) == (
        payload,
        4,
        "LockNotAvailable",
        None,
    )
    assert dead.first_failed_at <= dead.died_at
    assert "lock timeout" in dead.error
    assert db.session.scalars(select(Settlement.state)).all() == ["dead"]
    assert db.session.scalars(select(Notice.kind)).all() == ["operations"]
    reconcile_predictions.run()
    assert settlement_jobs() == [], "a dead one is not sent again by itself"
    assert len(db.session.scalars(select(DeadJob)).all()) == 1

    for _ in range(2):  # an operator who is not sure
        Replay(stack.settings, Plan()).run(letters.waiting())
    work(hurried, stack)
    db.session.expire_all()
    assert db.session.scalars(select(DeadJob.done_at)).one() is not None
    check(cup, measured, "3 database timeout, dead letter, replayed twice")


@pytest.fixture
def waits_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes started in the test wait for a lock until the test lets go of it."""
    monkeypatch.setenv("DATABASE_TIMEOUTS_REFRESH", "600,300,600")


# 4. Crash after the database update and before the Redis update


def test_4_a_worker_killed_between_commit_and_projection_is_made_good_without_scoring_again(
    cup: World, stack: Stack, waits_long: None, start: Callable[..., Children], measured: Measured
) -> None:
    projections.project(cup.id)
    only_job(cup)
    payload = payloads(cup)[0]
    try:
        with held_tournament(cup, stack) as holder:
            children = start("settlement")
            until(waits_for_the_lock, "the worker waits for the tournament")
            # From here on Redis takes no writes: the worker commits, and then gets no further.
            jobs_redis().execute_command("CLIENT", "PAUSE", 600_000, "WRITE")
            holder.rollback()
            until(lambda: not payloads(cup), "PostgreSQL has the points")
            children.running["settlement-0"].send_signal(signal.SIGKILL)
            children.running["settlement-0"].wait(patience(60))
    finally:
        jobs_redis().execute_command("CLIENT", "UNPAUSE")
    assert sum(cup.points().values()) > 0
    assert {entry.points for entry in projections.read_entries(cup.id)} == {0}, "Redis is behind"
    assert not projected(cup)
    audits = db.session.query(SettlementAudit).count()
    reconcile_predictions.run()
    assert projected(cup)
    settle_matches.run(payload)  # RQ gives the job of a dead worker to another one
    assert db.session.query(SettlementAudit).count() == audits == 1
    check(cup, measured, "4 SIGKILL between commit and projection")


# 5. Redis unavailable


def test_5_with_redis_away_reads_come_from_postgresql_and_writes_are_made_up_for(
    cup: World, own_valkey: Valkey, measured: Measured
) -> None:
    end_all(cup)
    early, *late = cup.poll(long_ago()).settlements
    requests.send([early])
    settle_matches.run(payloads(cup)[0])
    entries = projections.read_entries(cup.id)
    bodies = [projections.read_matches(cup.id, "week-1"), projections.read_standings(cup.id)]
    own_valkey.stop()
    assert projections.read_entries(cup.id) == entries
    assert [
        projections.read_matches(cup.id, "week-1"),
        projections.read_standings(cup.id),
    ] == bodies
    assert requests.send(late) == 0, "nothing is sent, and nobody fails"
    first, *others = payloads(cup)
    with pytest.raises(redis.RedisError):
        settle_matches.run(first)  # the points are committed, the projection is not
    with pytest.raises(redis.RedisError):
        reconcile_predictions.run()
    db.session.rollback()
    own_valkey.start()
    reconcile_predictions.run()
    assert projected(cup)
    sent = [job.args[0] for job in settlement_jobs()]
    assert sent == others, "those that nobody could send wait in the queue now"
    reconcile_predictions.run()
    assert len(settlement_jobs()) == len(others)
    for payload in [first, *sent, *sent]:
        settle_matches.run(payload)
    check(cup, measured, "5 Redis stopped on the way of reads and writes")


def test_5_redis_dies_under_a_worker_in_the_middle_of_a_settlement(
    cup: World, app: Flask, stack: Stack, waits_long: None, store_folder: Path, measured: Measured
) -> None:
    shared = app.extensions["redis"]
    settings = replace(stack.settings, redis_url="", boards_redis_url="", var=store_folder)
    with Stack(settings) as own_stack:
        (valkey,) = own_stack.stores
        app.extensions["redis"] = connect(own_stack.settings.redis_url)
        workers = [
            Children(own_stack, [Command(f"settlement-{n}", PARTS["settlement"])]) for n in range(2)
        ]
        try:
            only_job(cup)
            with held_tournament(cup, stack) as holder:
                workers[0].start()
                until(waits_for_the_lock, "the worker waits for the tournament")
                assert valkey.process is not None
                valkey.process.kill()
                valkey.process.wait(patience(60))
                holder.rollback()
            until(lambda: not payloads(cup), "PostgreSQL has the points")
            workers[0].stop()
            valkey.start()  # empty: every job and projection is lost
            end_all(cup)
            cup.poll(long_ago())  # and its process ends before it has sent anything
            reconcile_predictions.run()
            workers[1].start()
            until(lambda: not payloads(cup), "a worker settles what was sent again")
            until(lambda: projected(cup), "and projects it")
            check(cup, measured, "5 Redis killed in the middle of a settlement, all jobs lost")
        finally:
            for worker in workers:
                worker.stop()
            app.extensions["redis"] = shared
