"""A real Apache Kafka with authentication.

All our clients sign in, nobody else gets in (`make test-cluster`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from kafka.errors import KafkaError

from app.settings import Settings
from app.stream.kafka import end_offsets, ensure_topics, ingestion_consumer, lag, producer
from app.stream.topic_reader import read
from app.stream.topics import GAME_EVENTS, TOPICS
from tests.cluster.kafka.broker import kafka_broker
from tests.waiting import patience, patient, until

PASSWORD = "correct-horse-battery-staple"


@pytest.fixture(scope="module")
def settings(broker: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    if not broker:
        pytest.skip("needs Apache Kafka: run `make test-cluster`")
    folder = tmp_path_factory.mktemp("sasl")
    with kafka_broker(folder, PASSWORD) as address:
        yield patient(
            Settings(
                var=folder,
                kafka=address,
                kafka_partitions=1,
                kafka_security_protocol="SASL_PLAINTEXT",
                kafka_sasl_mechanism="PLAIN",
                kafka_username="pressbox",
                kafka_password=PASSWORD,
            )
        )


def test_every_client_of_ours_signs_in(settings: Settings) -> None:
    assert ensure_topics(settings) == [topic.name for topic in TOPICS]
    kafka = producer(settings)
    try:
        kafka.send(GAME_EVENTS.name, key=b"g1", value=b"{}").get(timeout=patience(60))
    finally:
        kafka.close()
    assert [message.value for message in read(settings)] == [b"{}"]
    assert end_offsets(settings, GAME_EVENTS) == {0: 1}
    consumer = ingestion_consumer(settings, GAME_EVENTS)
    try:
        records: list[bytes] = []

        def is_read() -> bool:
            records.extend(
                record.value for batch in consumer.poll(500).values() for record in batch
            )
            return bool(records)

        until(is_read, "the message is read")
        assert records == [b"{}"]
        consumer.commit()
    finally:
        consumer.close(autocommit=False)
    assert lag(settings, GAME_EVENTS) == {0: 0}


@pytest.mark.parametrize(
    "changes",
    [
        {"kafka_password": "wrong"},
        {"kafka_username": "stranger"},
        {"kafka_security_protocol": "PLAINTEXT"},
    ],
    ids=["a wrong password", "an unknown name", "no sign-in"],
)
def test_nobody_else_gets_in(settings: Settings, changes: dict[str, str]) -> None:
    with pytest.raises(KafkaError):
        producer(replace(settings, **changes), patience_ms=4_000)  # type: ignore[arg-type]
