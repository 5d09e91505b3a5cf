"""What the objectives of writes count: until Kafka has a score, and until it is on its boards."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from flask import Flask

from app.boards.models import Mode
from app.core import clock, metrics
from app.core.serving import RECEIVED_AT
from app.ops import slo
from tests.worlds.claims import claim, send
from tests.worlds.score_log import Log, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]


def measured(name: str) -> slo.Measured:
    metrics.flush()
    (row,) = [row for row in slo.table() if row.objective.name == name]
    return row


@pytest.mark.usefixtures("lasting")
def test_a_score_is_measured_from_its_receipt_until_kafka_has_it(
    app: Flask, make_mode: MakeMode, players: Players
) -> None:
    """Seed 003, section 1: accepted within 50 ms. A call of several scores is one request."""
    mode = make_mode()
    (ann,) = players(1)
    received = clock.now() - timedelta(seconds=301)
    with app.test_request_context(environ_overrides={RECEIVED_AT: received.timestamp()}):
        outcomes = send(claim(mode, ann, 7), claim(mode, ann, 9), wait=False)
    assert [outcome.status for outcome in outcomes] == ["accepted", "accepted"]
    accepted = measured(metrics.SCORE_ACCEPTED)
    assert (accepted.events, accepted.good, accepted.p99) == (1, 0, 3600.0)


@pytest.mark.usefixtures("lasting")
def test_a_score_that_is_refused_or_not_sent_was_not_accepted(
    app: Flask, make_mode: MakeMode, players: Players
) -> None:
    (ann,) = players(1)
    send(claim(make_mode(), ann, 10_001, cap=20_000), wait=False)
    assert measured(metrics.SCORE_ACCEPTED).events == 0


def test_each_score_that_counts_is_measured_until_redis_has_it(
    make_mode: MakeMode, players: Players
) -> None:
    """Seed 003, section 1: in Redis within 5 ms; on two boards each, and one is held."""
    mode = make_mode()
    (ann,) = players(1)
    log = Log()
    log.put(*(score_event(mode, ann, score) for score in (5, 6, 13)))
    log.consume()
    assert measured(metrics.REDIS_UPDATE).events == 2
