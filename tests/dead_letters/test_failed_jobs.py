"""Jobs that failed for good: kept once, whatever was away; alerted; open until they went well."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from app.accounts.models import Member
from app.core import clock, jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.dead_letters import alerts, failed_jobs, letters
from app.dead_letters.models import DeadJob
from app.fantasy.notices.models import Notice
from app.ops.health import check_all
from app.ops.metrics import text as text_of
from app.predictions.jobs import SETTLE_MATCHES
from tests.dead_letters.failing_jobs import FAIL, MENDED, REFUSE
from workers.jobs import reconcile_predictions

Dead = Callable[[], list[DeadJob]]


def test_a_job_that_failed_every_try_is_kept_with_its_payload_and_reason(
    kill: Callable[..., None], dead_jobs: Dead
) -> None:
    with capture_logs() as lines:
        kill((FAIL, 7))
    (dead,) = dead_jobs()
    assert (dead.queue, dead.job, dead.payload) == ("settlement", FAIL, {"arguments": [7]})
    assert (dead.cause, dead.error, dead.attempts) == ("RuntimeError", "the cause of number 7", 4)
    assert dead.first_failed_at < dead.died_at
    (line,) = [line for line in lines if line["event"] == "dead_letter"]
    assert (line["log_level"], line["cause"], line["dead_letter"]) == (
        "error",
        "RuntimeError",
        f"job-{dead.id}",
    )


def test_a_job_that_can_never_be_done_is_a_dead_letter_at_once(
    work: Callable[[], None], dead_jobs: Dead
) -> None:
    jobs.send(jobs.JobType(REFUSE, jobs.SETTLEMENT_QUEUE), 3)
    work()
    (dead,) = dead_jobs()
    assert (dead.cause, dead.attempts) == ("PermanentJobError", 1)
    assert jobs.queue(jobs.SETTLEMENT_QUEUE).scheduled_job_registry.get_job_ids() == []


def test_a_settlement_with_a_bad_payload_is_a_dead_letter_at_once(
    work: Callable[[], None], dead_jobs: Dead
) -> None:
    jobs.send(SETTLE_MATCHES, {"eventType": "match_finished", "matchId": "x"})
    work()
    (dead,) = dead_jobs()
    assert (dead.cause, dead.attempts, dead.payload["matchId"]) == ("BadPayload", 1, "x")
    assert "matchId" in dead.error


def test_a_job_that_the_clock_sends_anew_is_no_dead_letter(
    work: Callable[[], None], dead_jobs: Dead
) -> None:
    jobs.send_once(jobs.JobType(FAIL, jobs.SETTLEMENT_QUEUE), 1, timeout=30)
    work()
    assert dead_jobs() == []


def test_a_job_that_fails_again_is_the_same_dead_letter_and_one_that_went_well_ends_it(
    kill: Callable[..., None], dead_jobs: Dead
) -> None:
    kill((FAIL, 7), (FAIL, 8))
    kill((FAIL, 7))
    assert [(dead.payload["arguments"], dead.attempts) for dead in dead_jobs()] == [
        ([7], 8),
        ([8], 4),
    ]
    jobs_redis().set(MENDED, 1)
    kill((FAIL, 7))
    assert [dead.done_at is not None for dead in dead_jobs()] == [True, False]
    jobs_redis().delete(MENDED)
    kill((FAIL, 7))
    assert [dead.done_at is not None for dead in dead_jobs()] == [False, False]


def test_what_could_not_be_kept_when_it_died_is_kept_by_the_clock_once(
    kill: Callable[..., None], dead_jobs: Dead, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> bool:
        raise OperationalError("INSERT", {}, Exception("the server closed the connection"))

    with monkeypatch.context() as patch, capture_logs() as lines:
        patch.setattr(failed_jobs, "keep", away)
        kill((FAIL, 7))
    assert dead_jobs() == []
    assert "dead_letter_not_kept" in [line["event"] for line in lines]
    kill((FAIL, 8))
    for _ in range(2):
        reconcile_predictions.run()
    assert [
        (dead.payload["arguments"], dead.cause, dead.error, dead.attempts) for dead in dead_jobs()
    ] == [
        ([8], "RuntimeError", "the cause of number 8", 4),
        ([7], "RuntimeError", "the cause of number 7", 4),
    ]


@pytest.mark.parametrize("odd", ["a\0b", "\ud800"])
def test_what_postgresql_cannot_hold_is_kept_without_it_and_holds_up_nothing(
    work: Callable[[], None], dead_jobs: Dead, odd: str
) -> None:
    jobs.send(jobs.JobType(REFUSE, jobs.SETTLEMENT_QUEUE), odd)
    work()
    reconcile_predictions.run()
    (dead,) = dead_jobs()
    assert dead.payload["arguments"] in (["a\N{REPLACEMENT CHARACTER}b"], ["?"])


def test_operators_get_a_notice_for_each_cause_and_hour(
    app: Flask, member: Callable[..., Member]
) -> None:
    operators = [member("olive", role="operator").id, member("otto", role="operator").id]
    member("ann")
    now = clock.now().replace(minute=5)
    for moment in (now, now + timedelta(minutes=50)):
        alerts.notify_operators(FAIL, "RuntimeError", moment)
    assert sorted(db.session.scalars(select(Notice.member_id))) == operators
    alerts.notify_operators(FAIL, "RuntimeError", now + timedelta(hours=1))
    alerts.notify_operators(FAIL, "LockNotAvailable", now)
    db.session.commit()
    assert len(db.session.scalars(select(Notice)).all()) == 6
    notice = db.session.scalars(select(Notice)).first()
    assert notice is not None
    assert (notice.kind, "pressbox dead-letters list" in notice.body) == ("operations", True)


def test_operators_hear_of_messages_that_could_not_be_taken_in_and_of_unsigned_ones(
    app: Flask,
    member: Callable[..., Member],
    client: FlaskClient,
    sign_in: Callable[..., FlaskClient],
) -> None:
    """An operator is told about others who write to an official stream (docs/security.md)."""
    member("olive", role="operator")
    db.session.execute(
        text(
            'INSERT INTO dead_letters (topic, partition, "offset", payload, reason, is_ours) VALUES'
            " ('game-events.v1', 0, 1, 'a', 'x', true), ('game-events.v1', 0, 2, 'b', 'y', true),"
            " ('score-events.v1', 0, 1, 'c', 'forged', false)"
        )
    )
    db.session.commit()
    for _ in range(2):
        reconcile_predictions.run()
    assert sorted(notice.title for notice in db.session.scalars(select(Notice))) == [
        "Dead letter: a message of game-events.v1",
        "Unsigned message on score-events.v1",
    ]
    waiting = {"game-events.v1": 2, "score-events.v1 (unsigned)": 1}
    assert client.get("/healthz").json["dead_letters"] == waiting  # type: ignore[index]
    operator = sign_in("operator")
    assert "1 of score-events.v1 (unsigned)" in operator.get("/ops").text
    (forged,) = letters.waiting("score-events.v1")
    assert "Send again" not in operator.get(f"/ops/dead-letters/{forged.id}").text
    assert (
        'pressbox_unsigned_messages{topic="score-events.v1"} 1.0'
        in text_of(app.config["PRESSBOX"]).decode()
    )


def test_health_counts_them_and_is_not_down_because_of_them(
    app: Flask, client: FlaskClient, kill: Callable[..., None]
) -> None:
    assert client.get("/healthz").json["dead_letters"] == {}  # type: ignore[index]
    kill((FAIL, 7), (FAIL, 8))
    answer = client.get("/healthz").json
    assert answer is not None
    assert (answer["dead_letters"], answer["parts"]["dead letters"]) == ({"jobs": 2}, "up")
    part = next(
        part_checked
        for part_checked in check_all(app.config["PRESSBOX"])
        if part_checked.name == "dead letters"
    )
    assert part.detail == "2 of jobs: `pressbox dead-letters list`"
