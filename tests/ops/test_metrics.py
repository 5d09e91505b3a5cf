"""/metrics: readable by Prometheus, for operators and a token alone.

What alerts and dashboard name is there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from app.core import metrics
from app.ops.metrics import METRICS, text
from tests.boards.test_verification import make_board
from tests.worlds.score_games import make_score_game
from workers.schedule import Clock

TOKEN = "0123456789abcdef"


def parsed(body: str) -> dict[str, list[tuple[dict[str, str], float]]]:
    """Samples by name."""
    samples: dict[str, list[tuple[dict[str, str], float]]] = {}
    for family in text_string_to_metric_families(body):
        for sample in family.samples:
            samples.setdefault(sample.name, []).append((sample.labels, sample.value))
    return samples


@pytest.fixture
def token(app: Flask) -> str:
    app.config["PRESSBOX"], before = (
        replace(app.config["PRESSBOX"], metrics_token=TOKEN),
        app.config["PRESSBOX"],
    )
    yield TOKEN
    app.config["PRESSBOX"] = before


def test_the_token_lets_prometheus_in_and_nothing_else_does(
    client: FlaskClient, token: str
) -> None:
    for expected in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic " + token},
        {"Authorization": "Bearer "},
    ):
        assert client.get("/metrics", headers=expected).status_code == 404
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200
    assert answer.content_type.startswith("text/plain; version=")


def test_without_a_token_operators_alone_may(sign_in: Callable[..., FlaskClient]) -> None:
    assert sign_in("operator").get("/metrics").status_code == 200
    assert sign_in("moderator").get("/metrics").status_code == 404
    assert (
        sign_in("member").get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    )


def test_every_metric_is_there(app: Flask) -> None:
    from app.core.redis.clients import jobs_redis

    make_board(make_score_game())
    Clock().send_due(jobs_redis(), 1.0)
    metrics.observe(metrics.READ, 0.01)
    # a busy machine's broker may need long
    patient = replace(app.config["PRESSBOX"], kafka_page_seconds=60)
    samples = parsed(text(patient).decode())
    never = {
        "pressbox_dead_letters",
        "pressbox_open_transaction_seconds",
        "pressbox_replica_lag_seconds",
        "pressbox_redis_replica_lag_seconds",
        "pressbox_unsigned_messages",
        "pressbox_settlements",
        "pressbox_provider_failures",
        "pressbox_provider_findings",
        "pressbox_provider_answered_seconds",
        "pressbox_archive_written_seconds",
    }  # until there is one
    assert METRICS.keys() - samples.keys() <= never
    assert samples.keys() <= METRICS.keys()
    assert samples["pressbox_boards"] == [
        ({"source": "redis"}, 1.0),
        ({"source": "postgresql"}, 0.0),
    ]
    assert ({"objective": "read"}, 1.0) in samples["pressbox_slo_good_total"]
    assert {
        labels["store"]: value for labels, value in samples["pressbox_scrape_error"]
    } == dict.fromkeys(
        ("health", "postgres", "replica", "redis", "redis_replica", "kafka", "lag"), 0.0
    )


def test_a_store_that_is_away_is_named_and_the_others_are_still_there(app: Flask) -> None:
    samples = parsed(text(replace(app.config["PRESSBOX"], kafka="127.0.0.1:1")).decode())
    assert ({"store": "kafka"}, 1.0) in samples["pressbox_scrape_error"]
    assert "pressbox_consumer_lag_seconds" not in samples
    assert ({"part": "kafka"}, 0.0) in samples["pressbox_up"]
    assert samples["pressbox_outbox_events"] == [({}, 0.0)]
