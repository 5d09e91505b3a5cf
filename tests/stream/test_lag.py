"""How far the consumers are behind, and that it is never called nothing where nobody knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import clock
from app.ops import lag, metrics
from app.ops.health import check_all
from app.settings import Settings
from app.stream.messages import Message
from app.stream.topics import GAME_EVENTS
from tests.ops.test_metrics import parsed
from tests.stream.topic import put


@pytest.fixture
def waiting(app: Flask, own_broker: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of consumers that have taken nothing in yet, and one message that waits for them."""
    settings = replace(own_broker, kafka_group_prefix=f"lag-{uuid4().hex[:8]}-")
    put(settings, [Message(GAME_EVENTS.name, 0, 0, f"g-{uuid4().hex[:8]}", b"{}")], clock.now())
    monkeypatch.setitem(app.config, "PRESSBOX", settings)
    return settings


def test_what_waits_is_counted_and_how_long(waiting: Settings) -> None:
    assert lag.behind(lag.lags(waiting)) >= 1
    behind = [lag for lag in lag.lags(waiting) if lag.topic == GAME_EVENTS.name and lag.messages]
    assert behind
    assert all(topic_lag.seconds is not None and topic_lag.seconds >= 0 for topic_lag in behind)


def test_what_cannot_be_read_is_unknown_and_not_nothing(
    app: Flask,
    waiting: Settings,
    monkeypatch: pytest.MonkeyPatch,
    sign_in: Callable[..., FlaskClient],
) -> None:
    hurried = replace(waiting, kafka_read_seconds=0.0)  # the broker answers later than that
    monkeypatch.setitem(app.config, "PRESSBOX", hurried)
    unknown = [lag for lag in lag.lags(hurried) if lag.messages is None]
    assert unknown
    assert not any(topic_lag.is_missed for topic_lag in unknown)
    part = next(check for check in check_all(hurried) if check.name == "consumer lag")
    assert (part.up, part.detail.startswith("unknown: not known of ingestion")) == (False, True)
    samples = parsed(metrics.text(hurried).decode())
    assert {labels["store"]: value for labels, value in samples["pressbox_scrape_error"]}[
        "lag"
    ] == 1.0
    places = [
        labels["partition"]
        for labels, _ in samples.get("pressbox_consumer_lag_messages", ())
        if labels["group"] == unknown[0].group
    ]
    assert str(unknown[0].partition) not in places
    assert "The broker did not answer in time" in sign_in("operator").get("/ops/stream").text
