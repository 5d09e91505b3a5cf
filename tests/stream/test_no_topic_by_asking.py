"""Who asks for a topic that is not there makes none.

It would have the broker's own number of partitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from app.embedded.stack import Stack
from app.settings import Settings
from app.stream.kafka import connection, ingestion_consumer, producer
from app.stream.topics import GAME_EVENTS
from tests.cluster.kafka.broker import kafka_broker
from tests.waiting import patience


@pytest.fixture
def own_kafka(stack: Stack, broker: str, tmp_path: Path) -> Iterator[Settings]:
    """A broker that creates topics on request, as Apache Kafka does by default."""
    if not broker:
        pytest.skip("the embedded broker makes no topics by itself: `make test-cluster` runs this")
    with ExitStack() as opened:
        address = opened.enter_context(kafka_broker(tmp_path, stack.settings.kafka_password))
        yield replace(stack.settings, kafka=address)


def test_neither_consumer_nor_producer_makes_a_topic(own_kafka: Settings) -> None:
    missing = replace(GAME_EVENTS, name=f"missing-{uuid4()}")
    with closing(ingestion_consumer(own_kafka, missing)) as consumer:
        consumer.subscribe([missing.name])
        assert not consumer.partitions_for_topic(missing.name)
        consumer.poll(timeout_ms=500)
    with closing(producer(own_kafka, patience_ms=2_000)) as kafka, pytest.raises(KafkaError):
        kafka.send(missing.name, b"{}").get(patience(10))
    with closing(KafkaAdminClient(**connection(own_kafka))) as admin:
        assert missing.name not in admin.list_topics()
