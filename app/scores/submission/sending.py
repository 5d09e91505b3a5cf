"""Sends scores to Kafka: one producer per process, and a result per score within seconds."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TypeVar

import structlog
from flask import current_app
from kafka.errors import KafkaError

from app.core.errors import one_line
from app.core.redis.clients import jobs_redis
from app.scores.events import ScoreEvent, encode, key_of
from app.settings import Settings
from app.stream.announcements import announce
from app.stream.kafka import SigningProducer, producer
from app.stream.topics import SCORE_EVENTS

log = structlog.get_logger(__name__)

PATIENCE_MS = 4_000
_making = threading.Lock()
Name = TypeVar("Name")


def send(settings: Settings, scores: Mapping[Name, ScoreEvent]) -> list[Name]:
    """Give the scores to Kafka, wait for every in-sync replica, and return those that failed.

    One that failed may still have arrived: sending it again is harmless.
    """
    if not scores:
        return []
    failed: list[Name] = []
    try:
        kafka = _producer(settings)
        sent = [
            (name, kafka.send(SCORE_EVENTS.name, key=key_of(score), value=encode(score)))
            for name, score in scores.items()
        ]
    except (KafkaError, OSError) as error:
        _give_up(error)
        return list(scores)
    for name, future in sent:
        try:
            future.get(timeout=PATIENCE_MS / 1000 + 1)
        except KafkaError as error:
            failed.append(name)
            _give_up(error)
    announce(settings, jobs_redis(), SCORE_EVENTS)
    return failed


def _producer(settings: Settings) -> SigningProducer:
    with _making:
        running: SigningProducer | None = current_app.extensions.get("score_producer")
        if running is None:
            running = producer(settings, client_id="pressbox-scores", patience_ms=PATIENCE_MS)
            current_app.extensions["score_producer"] = running
        return running


def _give_up(error: Exception) -> None:
    """Drop the producer: it may be unable to continue, so the next call creates a new one."""
    log.warning("scores_not_sent", reason=one_line(error))
    with _making:
        failed: SigningProducer | None = current_app.extensions.pop("score_producer", None)
    if failed is not None:
        failed.close(timeout=0)
