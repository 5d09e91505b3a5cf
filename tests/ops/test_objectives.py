"""What an operator reads on /ops.

Objectives of the month, faults of boards, and who holds PostgreSQL up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app.core import clock, jobs, metrics
from app.core.db import db
from app.core.postgres.timeouts import Use
from app.core.redis.clients import jobs_redis
from app.core.redis.replica_lag import ReplicaLag
from app.ops import health, slo, waits
from tests.boards.test_verification import make_board
from tests.worlds.score_games import make_score_game
from workers import watch


@pytest.fixture
def operator(sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in("operator")


def test_objectives_show_what_was_measured(operator: FlaskClient) -> None:
    metrics.observe(metrics.READ, 0.012, 990)
    metrics.observe(metrics.READ, 0.3, 10)
    for good in [True] * 30 + [False] * 10:
        metrics.count(metrics.SCORE_API, good=good)
    metrics.flush()
    page = operator.get("/ops", headers={"HX-Request": "true"}).text
    assert "99 %" in page
    assert "1,000 events" in page
    assert "75 %" in page
    assert "Used up: declare an incident" in page
    assert "<svg" in page
    assert "<html" not in page


def attention(operator: FlaskClient) -> str:
    """What the overview lists under "Needs attention"."""
    section = operator.get("/ops").text.partition('id="attention">Needs attention</h2>')[2]
    return " ".join(unescape(re.sub("<[^>]*>", "", section.partition("</section>")[0])).split())


def test_a_missed_objective_needs_attention_and_what_is_well_does_not(
    operator: FlaskClient,
) -> None:
    assert attention(operator) == "Nothing right now."
    metrics.observe(metrics.READ, 0.3, 1000)
    metrics.flush()
    assert attention(operator) == "missed Read latency, p99 < 40 ms: 0 %"


def test_without_a_replica_of_redis_its_lag_is_not_nothing(operator: FlaskClient) -> None:
    watch.measure_replicas()
    metrics.flush()
    (lag,) = [row for row in slo.table() if row.objective.name == metrics.REPLICA_LAG]
    assert (lag.events, lag.shown, lag.slowest) == (0, "no replica", "–")
    assert "no replica" in operator.get("/ops", headers={"HX-Request": "true"}).text


def test_the_lag_of_each_replica_of_redis_is_an_event_of_its_objective(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    lags = [ReplicaLag("10.0.0.1:6379", 0.2), ReplicaLag("10.0.0.2:6379", 0.201)]
    monkeypatch.setattr(watch, "replica_lags", lambda: lags)
    watch.measure_replicas()
    metrics.flush()
    (lag,) = [row for row in slo.table() if row.objective.name == metrics.REPLICA_LAG]
    assert (lag.events, lag.good, lag.slowest) == (2, 1, "≤ 250 ms")


def test_an_objective_is_judged_only_with_enough_events(operator: FlaskClient) -> None:
    """Seed 003: p99 of a month. One slow page of a handful says nothing about one in a hundred."""
    metrics.observe(metrics.READ, 0.012, 70)
    metrics.observe(metrics.READ, 0.3, 3)
    metrics.flush()
    page = operator.get("/ops", headers={"HX-Request": "true"}).text
    assert "missed" not in page
    assert "of 73 events; needs 1,000" in page


def test_the_month_outlives_redis(operator: FlaskClient) -> None:
    """The error budget counts the very incident in which Redis is lost."""
    metrics.observe(metrics.READ, 0.3, 1000)
    metrics.count(metrics.JOBS.format(jobs.UPKEEP_QUEUE), good=False)
    metrics.flush()
    jobs_redis().flushall()
    assert "of 1,000 events" in operator.get("/ops", headers={"HX-Request": "true"}).text
    assert 'data-label="Failed in 30 days">1<' in operator.get("/ops/work").text


def test_what_is_counted_while_postgresql_is_away_is_written_afterwards(app: Flask) -> None:
    there = app.config["PRESSBOX"].database(Use.WEB)
    where = [there._replace(url="postgresql://nobody@127.0.0.1:1/none"), there, there]
    counting = metrics.Measures(lambda: where.pop(0))
    counting.add(f"{metrics.SCORE_API}:bad", 7)
    counting.flush()
    assert slo.total(metrics.SCORE_API, good=False) == 0
    counting.flush()
    counting.flush()
    assert slo.total(metrics.SCORE_API, good=False) == 7


def test_a_fault_of_a_board_says_what_it_was(operator: FlaskClient) -> None:
    _, record = make_board(make_score_game())
    record.fault, record.fault_at, record.faults = "3 players had another score", clock.now(), 1
    db.session.commit()
    page = operator.get("/ops").text
    assert "3 players had another score" in page
    assert "faults found and mended so far" not in page


def test_a_forgotten_transaction_is_named_with_its_session(
    operator: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waits, "LONG_SECONDS", 0.0)
    with db.engine.connect() as forgotten:
        pid = forgotten.execute(text("SELECT pg_backend_pid()")).scalar_one()
        page = operator.get("/ops").text
        parts = health.check_all(operator.application.config["PRESSBOX"])
        part = next(part for part in parts if part.name == "open transactions")
    assert f"SELECT pg_terminate_backend({pid})" in page
    assert (part.up, part.needs_look, f"process {pid}" in part.detail) == (True, True, True)
