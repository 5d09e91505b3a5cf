"""Polling a provider over real HTTP.

What it writes, which jobs it sends, and what a provider that fails changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
import redis
from flask import Flask
from rq import SimpleWorker

from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.core.redis.connections import connect
from app.predictions import tournaments
from app.predictions.jobs import FETCH_PICTURES, POLL_TOURNAMENT
from app.predictions.matches import polling
from app.predictions.matches.polling import Outcome, Polled
from app.predictions.models import Match, ProviderSource, Settlement, SettlementAudit, Tournament
from app.predictions.points import PRESETS, PointRule
from app.predictions.projections import store as projections
from tests.predictions.failing import settlement_jobs
from tests.predictions.providing import NOW, TEAMS, Answering, Served, fake_provider, match, season
from tests.worlds.tournament import World
from workers.jobs import poll_providers

LATER = timedelta(minutes=5)
EXACT = PointRule(winner=100, exact=200)


@pytest.fixture
def cup(served: Served, world: Callable[..., World]) -> World:
    """A simulated tournament on the fake provider, polled once."""
    here = world(EXACT)
    points_at(here, served.address)
    assert polling.poll(here.id, NOW).outcome is Outcome.CHANGED
    return here


def points_at(here: World, address: str) -> None:
    db.session.execute(
        db.update(ProviderSource).filter_by(tournament_id=here.id).values(address=address)
    )
    db.session.commit()


def source_of(here: World) -> ProviderSource:
    db.session.rollback()
    return db.session.get_one(ProviderSource, here.id)


def waiting() -> list[dict[str, Any]]:
    """Payloads of the settlement jobs in the queue."""
    return [job.args[0] for job in settlement_jobs()]


def poll_and_work() -> None:
    """By the clock: the jobs that it sends, as a worker does them."""
    poll_providers.run()
    worker = SimpleWorker(
        [jobs.queue(jobs.PROVIDERS_QUEUE)], connection=jobs_redis(), serializer=jobs.JsonSerializer
    )
    worker.work(burst=True, logging_level="CRITICAL")
    db.session.rollback()


def work() -> int:
    """Runs the settlement jobs that wait, as a worker does; returns how many there were."""
    count = len(waiting())
    worker = SimpleWorker(
        [jobs.queue(jobs.SETTLEMENT_QUEUE)], connection=jobs_redis(), serializer=jobs.JsonSerializer
    )
    worker.work(burst=True, logging_level="ERROR")
    assert jobs.queue(jobs.SETTLEMENT_QUEUE).failed_job_registry.count == 0
    db.session.rollback()
    return count


def held(here: World, match_id: str = "m1") -> Match:
    db.session.rollback()
    return db.session.get_one(Match, here.id_of(match_id))


def test_a_poll_writes_the_matches_and_the_next_one_asks_for_what_changed(
    cup: World, served: Served
) -> None:
    assert polling.poll(cup.id, NOW + LATER) == Polled(Outcome.UNCHANGED)
    assert served.statuses == [200, 304]
    assert waiting() == []
    source = source_of(cup)
    assert (source.polled_at, source.succeeded_at, source.failures) == (NOW + LATER, NOW + LATER, 0)
    assert held(cup).provider_status == "scheduled"


def test_matches_that_end_send_one_job_each_after_the_commit(cup: World, served: Served) -> None:
    cup.guess("Ann", "m1", 2, 1, NOW)
    now = served.at("2026-09-13T19:05:00Z")
    assert polling.poll(cup.id, now) == Polled(Outcome.CHANGED, rounds=1, settlements=2)
    sent = waiting()
    assert {payload["matchId"] for payload in sent} == {str(cup.id_of("m1")), str(cup.id_of("m2"))}
    assert {payload["finishedAt"] for payload in sent} == {"2026-09-13T19:00:00Z"}
    assert {payload["providerStatus"] for payload in sent} == {"finished"}
    assert work() == 2
    assert cup.points() == {"Ann": 300}


def test_a_poll_makes_readers_see_the_new_scores(cup: World, served: Served) -> None:
    before = projections.read_matches(cup.id, "week-1")
    polling.poll(cup.id, served.at("2026-09-13T18:00:00Z"))
    after = json.loads(projections.read_matches(cup.id, "week-1"))
    assert json.loads(before)["data"][0]["home"]["score"] is None
    assert after["data"][0]["home"]["score"] == 1
    assert after["data"][0]["status"] == "open"


@pytest.mark.parametrize("fault", ["down", "error", "broken"])
def test_a_provider_that_fails_changes_nothing_and_the_next_poll_asks_again(
    cup: World, served: Served, fault: str
) -> None:
    version = db.session.get_one(Tournament, cup.id).version
    now = served.at("2026-09-13T19:05:00Z")
    served.provider.fault = fault
    failed = polling.poll(cup.id, now)
    assert failed.outcome is Outcome.FAILED
    source = source_of(cup)
    assert (source.failures, source.retry_at, source.fault) == (1, None, failed.fault)
    assert source.succeeded_at == NOW
    assert (waiting(), held(cup).status) == ([], "open")
    assert db.session.get_one(Tournament, cup.id).version == version
    served.provider.fault = ""
    assert polling.poll(cup.id, now + LATER).settlements == 2
    source = source_of(cup)
    assert (source.failures, source.fault) == (0, None)


def test_three_failures_open_the_circuit_for_a_growing_pause(cup: World, served: Served) -> None:
    served.provider.fault = "error"
    served.provider.asked.clear()
    now, pauses = NOW, []
    for failures in range(1, 8):
        now += LATER
        polling.poll(cup.id, now)
        source = source_of(cup)
        assert source.failures == failures
        if source.retry_at is None:
            continue
        pauses.append((source.retry_at - now) // timedelta(minutes=1))
        assert polling.poll(cup.id, source.retry_at - timedelta(seconds=1)) == Polled(
            Outcome.PAUSED, source.fault
        )
        now = source.retry_at
    assert pauses == [10, 20, 40, 60, 60]
    assert len(served.provider.asked) == 7  # none while it was open
    served.provider.fault = ""
    assert polling.poll(cup.id, now + LATER + timedelta(hours=1)).fault is None
    assert source_of(cup).retry_at is None


@pytest.mark.everyday("shows fault 14 in make test")
@pytest.mark.fault(14)
def test_a_result_that_is_taken_back_takes_its_points_back(cup: World, served: Served) -> None:
    cup.guess("Ann", "m1", 2, 1, NOW)
    now = served.at("2026-09-13T19:05:00Z")
    polling.poll(cup.id, now)
    work()
    served.provider.overrides["m1"] = {"status": "inprogress", "finishedAt": None}
    assert polling.poll(cup.id, now + LATER).settlements == 1
    work()
    assert (cup.points(), held(cup).status, held(cup).provider_status) == (
        {"Ann": 0},
        "open",
        "inprogress",
    )
    served.provider.overrides.clear()
    assert polling.poll(cup.id, now + 2 * LATER).settlements == 1
    assert work() == 1
    assert cup.points() == {"Ann": 300}
    audit = (
        db.select(SettlementAudit).filter_by(match_id=cup.id_of("m1")).order_by(SettlementAudit.id)
    )
    assert [row.points for row in db.session.scalars(audit)] == [300, -300, 300]


def test_a_changed_score_is_settled_again_without_double_points(cup: World, served: Served) -> None:
    cup.guess("Ann", "m1", 2, 1, NOW)
    cup.guess("Bob", "m1", 3, 1, NOW)
    now = served.at("2026-09-13T19:05:00Z")
    polling.poll(cup.id, now)
    work()
    assert cup.points() == {"Ann": 300, "Bob": 100}
    served.provider.overrides["m1"] = {"homeScore": 3}
    assert polling.poll(cup.id, now + LATER).settlements == 1
    work()
    assert cup.points() == {"Ann": 100, "Bob": 300}


def test_another_time_of_the_end_is_settled_again_without_double_points(
    cup: World, served: Served
) -> None:
    cup.guess("Ann", "m1", 2, 1, NOW)
    now = served.at("2026-09-13T19:05:00Z")
    polling.poll(cup.id, now)
    work()
    served.provider.overrides["m1"] = {"finishedAt": "2026-09-13T19:02:00Z"}
    assert polling.poll(cup.id, now + LATER).settlements == 1
    work()
    assert cup.points() == {"Ann": 300}
    keys = dict(
        db.session.execute(
            db.select(Settlement.key, Settlement.state).filter_by(match_id=cup.id_of("m1"))
        ).all()
    )
    assert keys[f"{cup.id_of('m1')}#2026-09-13T19:02:00Z"] == "applied"
    assert polling.poll(cup.id, now + 2 * LATER) == Polled(Outcome.UNCHANGED)


def test_a_match_that_is_postponed_keeps_its_guesses_for_the_new_date(
    cup: World, served: Served
) -> None:
    cup.guess("Ann", "m1", 2, 1, NOW)
    now = served.at("2026-09-13T16:55:00Z")
    put_off = {
        "status": "postponed",
        "kickoff": None,
        "homeScore": None,
        "awayScore": None,
        "finishedAt": None,
    }
    served.provider.overrides["m1"] = put_off
    polling.poll(cup.id, now)
    assert (held(cup).status, held(cup).fate) == ("not-defined", "postponed")
    assert cup.guess("Ann", "m1", 0, 1, now) == []
    served.provider.overrides["m1"] = {
        "status": "finished",
        "kickoff": "2026-09-20T17:00:00Z",
        "homeScore": 0,
        "awayScore": 1,
        "finishedAt": "2026-09-20T19:00:00Z",
    }
    assert polling.poll(cup.id, now + timedelta(days=7, hours=3)).settlements >= 1
    work()
    assert cup.points() == {"Ann": 300}


@contextmanager
def redis_away(app: Flask) -> Iterator[None]:
    before = app.extensions["redis"]
    app.extensions["redis"] = connect("redis://127.0.0.1:1/0")
    try:
        yield
    finally:
        app.extensions["redis"] = before


def test_without_redis_the_matches_are_written_and_the_wish_to_settle_stays(
    app: Flask, cup: World, served: Served
) -> None:
    now = served.at("2026-09-13T19:05:00Z")
    with redis_away(app):
        with pytest.raises(redis.RedisError):
            jobs_redis().ping()
        assert polling.poll(cup.id, now).settlements == 2
    assert held(cup).status == "ended"
    pending = db.select(Settlement.state).filter_by(tournament_id=cup.id)
    assert list(db.session.scalars(pending)) == ["pending", "pending"]
    assert waiting() == []


def test_of_two_polls_at_once_the_slower_one_drops_its_answer(
    cup: World, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an older answer could be written over a newer one."""
    ended = served.at("2026-09-13T19:05:00Z")
    fetch = polling.registry.provider("http-json").fetch

    class Slow:
        def fetch(self, address: str, validators: Any) -> Any:
            answer = fetch(address, validators)
            monkeypatch.undo()
            assert polling.poll(cup.id, ended).settlements == 2  # another worker, meanwhile
            return answer

    monkeypatch.setattr(polling.registry, "provider", lambda kind: Slow())
    assert polling.poll(cup.id, ended) == Polled(Outcome.OVERTAKEN)
    assert len(waiting()) == 2


def test_the_job_polls_every_active_tournament_and_one_failing_stops_no_other(
    cup: World, served: Served, world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, ended = world(name="Broken"), world(name="Ended")
    tournaments.end(ended.id)
    poll = polling.poll

    def one_breaks(tournament_id: Any, now: datetime) -> Polled:
        if tournament_id == broken.id:
            raise RuntimeError("a fault of our own")
        return poll(tournament_id, now)

    monkeypatch.setattr(polling, "poll", one_breaks)
    served.at("2026-09-13T19:05:00Z")
    poll_and_work()
    assert set(tournaments.polled()) == {cup.id, broken.id}
    assert held(cup).status == "ended"
    assert len(waiting()) == 2
    assert source_of(ended).polled_at is None
    poll_and_work()
    assert len(waiting()) == 2


def test_each_provider_is_polled_by_a_job_of_its_own_and_pictures_come_last(
    cup: World, world: Callable[..., World]
) -> None:
    """A provider that hangs delays only its own tournament, and one poll waits at most."""
    other = world(name="Other")
    for _ in range(2):
        poll_providers.run()
    sent = [(str(job.func_name), job.args[0]) for job in jobs.queue(jobs.PROVIDERS_QUEUE).jobs]
    assert sorted(sent[:2]) == sorted(
        (POLL_TOURNAMENT.name, str(tournament.id)) for tournament in (cup, other)
    )
    assert sorted(sent[2:]) == sorted(
        (FETCH_PICTURES.name, str(tournament.id)) for tournament in (cup, other)
    )


def test_who_has_waited_longest_is_polled_first(world: Callable[..., World]) -> None:
    """A job that ends at its time limit has polled those that the one before did not reach."""
    late, new, early = (world(name=name) for name in ("Late", "New", "Early"))
    for here, minutes in ((late, 5), (early, 0)):
        polled_at = NOW + timedelta(minutes=minutes)
        db.session.execute(
            db.update(ProviderSource).filter_by(tournament_id=here.id).values(polled_at=polled_at)
        )
    db.session.commit()
    assert tournaments.polled() == [new.id, early.id, late.id]


def test_a_tournament_on_a_provider_that_is_not_json_keeps_the_fault(
    server: Answering, world: Callable[..., World]
) -> None:
    here = world()
    points_at(here, server.origin)
    server.body = b'{"teams": [], "rounds": [], "matches": [{"id": 7}]}'
    assert "matches[0].id: expected" in str(polling.poll(here.id, NOW).fault)
    assert "matches[0].id: expected" in str(source_of(here).fault)


def test_two_tournaments_on_one_provider_do_not_mix(
    private_providers: None, world: Callable[..., World]
) -> None:
    with fake_provider(season(match("m1"))) as served:
        first, second = world(PRESETS["winner"], "One"), world(PRESETS["winner"], "Two")
        for here in (first, second):
            points_at(here, served.address)
            polling.poll(here.id, NOW)
        assert first.id_of("m1") != second.id_of("m1")
        first.guess("Ann", "m1", 1, 0, NOW)
        now = served.at("2026-09-13T19:05:00Z")
        assert [polling.poll(here.id, now).settlements for here in (first, second)] == [1, 1]
        work()
        assert first.points() == {"Ann": 100}
        assert second.points() == {}
        assert len(TEAMS) * 2 == db.session.scalar(
            db.select(db.func.count()).select_from(Tournament.metadata.tables["teams"])
        )


def test_a_bad_row_does_not_stop_the_jobs_of_the_others(
    server: Answering, world: Callable[..., World]
) -> None:
    """The poll is a success: what it says of the answer is kept, and nothing is tried again."""
    here = world()
    points_at(here, server.origin)
    server.headers = {"ETag": '"1"'}
    server.body = json.dumps(
        season(match("m1"), match("m2", "liv", "mun", homeScore="two"))
    ).encode()
    polled = polling.poll(here.id, NOW)
    assert (polled.outcome, polled.fault, polled.settlements, polled.bad_rows) == (
        "changed",
        None,
        1,
        1,
    )
    assert [job["matchId"] for job in waiting()] == [str(here.id_of("m1"))]
    assert (source_of(here).etag, source_of(here).failures) == ('"1"', 0)
