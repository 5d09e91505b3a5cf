"""Puts messages on a topic as the relay would, with any timestamp, and starts empty brokers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from kafka import TopicPartition
from kafka.consumer.fetcher import ConsumerRecord

from app.core.clock import to_ms
from app.embedded.stack import Stack
from app.settings import Settings
from app.stream.kafka import connection, end_offsets, ensure_topics, producer
from app.stream.messages import Message
from app.stream.signing import StreamKeys
from app.stream.tolerant_consumer import TolerantConsumer, fault_of
from app.stream.topics import GAME_EVENTS, TOPICS, Topic
from tests.cluster.kafka.broker import kafka_broker
from tests.waiting import patience, until


@contextmanager
def new_broker(settings: Settings, folder: Path, *, real_kafka: bool) -> Iterator[Stack]:
    """The same stores with a broker of its own, as after the old one was lost; ended afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    # the same installation, so its messages are known
    (folder / "secret_key").write_text(settings.secret())
    with ExitStack() as stack:
        address = (
            stack.enter_context(kafka_broker(folder, settings.kafka_password)) if real_kafka else ""
        )
        with_kafka = replace(settings, kafka=address, var=folder, kafka_replication=1)
        started = stack.enter_context(Stack(with_kafka))
        ensure_topics(started.settings)
        yield started


def put(settings: Settings, messages: Iterable[Message], at: datetime) -> list[Message]:
    """Puts the messages on the topic with the timestamp `at`; gives them with their true places."""
    kafka = producer(settings)
    try:
        sent = [
            (
                message,
                kafka.send(
                    GAME_EVENTS.name,
                    key=message.key.encode() if message.key else None,
                    value=message.value,
                    timestamp_ms=to_ms(at),
                ),
            )
            for message in messages
        ]
        places = [(message, future.get(timeout=patience(60))) for message, future in sent]
    finally:
        kafka.close()
    return [
        replace(message, partition=place.partition, offset=place.offset)
        for message, place in places
    ]


Place = tuple[str, int, int]  # topic, partition, offset


def ends(settings: Settings, *topics: Topic) -> dict[TopicPartition, int]:
    """Where the next message of each partition will stand."""
    return {
        TopicPartition(topic.name, number): end
        for topic in topics
        for number, end in end_offsets(settings, topic).items()
    }


def not_ours(settings: Settings, since: dict[TopicPartition, int]) -> set[Place]:
    """Return the places of all messages from `since` to the ends that have no valid signature."""
    keys = StreamKeys.of(settings)
    records = _records(settings, since)
    return {
        (record.topic, record.partition, record.offset)
        for record in records
        if fault_of(keys, record) is not None
    }


def values_of(settings: Settings, key: str, since: dict[TopicPartition, int]) -> list[bytes]:
    """Return the messages with this key from `since` to the ends, in the order of the log."""
    return [record.value for record in _records(settings, since) if record.key == key.encode()]


def _records(settings: Settings, since: dict[TopicPartition, int]) -> list[ConsumerRecord]:
    """Return all records from `since` to the ends, in offset order within a partition."""
    end = ends(
        settings, *(topic for topic in TOPICS if topic.name in {place.topic for place in since})
    )
    records: list[ConsumerRecord] = []
    with closing(TolerantConsumer(**connection(settings), enable_auto_commit=False)) as consumer:
        consumer.assign(list(since))
        for place, offset in since.items():
            consumer.seek(place, offset)

        def is_read() -> bool:
            for polled in consumer.poll(timeout_ms=200).values():
                records.extend(polled)
            return all(consumer.position(place) >= end[place] for place in since)

        until(is_read, "everything before the ends is read", pause=0)
    return records
