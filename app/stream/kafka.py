"""Kafka clients with the settings that every process here needs, and the creation of topics.

What is read or written, and when offsets are committed, is in workers/relay.py and
workers/bridge.py.
"""

from __future__ import annotations

import time
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from kafka.errors import KafkaTimeoutError, OffsetOutOfRangeError, TopicAlreadyExistsError
from kafka.future import Future

from app.core.coalescing import Asking
from app.settings import Settings
from app.stream.signing import Header, StreamKeys
from app.stream.tolerant_consumer import TolerantConsumer, make_no_topic
from app.stream.topics import INGESTION_GROUP, MAX_MESSAGE_BYTES, SCORES_GROUP, TOPICS, Topic

# Of one poll. What a game comes to is worked out once a poll and game: of a backlog, few long polls
# cost a third of many short ones. All of a poll must be ingested within workers.bridge.JOB_SECONDS,
# on a busy machine too.
INGESTION_RECORDS = 2_000
SCORES_RECORDS = 500

# An idle connection is closed after this time, and never before a request has timed out:
# kafka-python refuses any other order.
LEAST_IDLE_MS = 540_000

brokers = Asking(4)  # for pages: whatever they ask the brokers goes through here


def page_timeouts(settings: Settings) -> dict[str, int]:
    """How long a client that asks for a page tries: until nobody waits for the answer any more."""
    seconds = settings.kafka_page_seconds + settings.kafka_read_seconds
    request_ms = max(1_000, round(seconds * 1000))
    return {
        "bootstrap_timeout_ms": 2_000,
        "request_timeout_ms": request_ms,
        "connections_max_idle_ms": max(LEAST_IDLE_MS, 2 * request_ms),
    }


def connection(settings: Settings) -> dict[str, Any]:
    """Addresses and credentials of the brokers, which every client starts with."""
    options: dict[str, Any] = {
        "bootstrap_servers": settings.kafka_servers,
        "security_protocol": settings.kafka_security_protocol,
    }
    if settings.kafka_security_protocol.startswith("SASL_"):
        options |= {
            "sasl_mechanism": settings.kafka_sasl_mechanism,
            "sasl_plain_username": settings.kafka_username,
            "sasl_plain_password": settings.kafka_password,
        }
    if settings.kafka_ca_file:
        options["ssl_cafile"] = settings.kafka_ca_file
    return options


class SigningProducer(KafkaProducer):
    """A producer that signs every message; Pressbox writes to topics only through it."""

    def __init__(self, keys: StreamKeys, **config: Any) -> None:
        self._keys = keys
        super().__init__(**config)
        make_no_topic(self._metadata)

    def send(
        self,
        topic: str,
        value: bytes | None = None,
        key: bytes | None = None,
        headers: list[Header] | None = None,
        **options: Any,
    ) -> Future:
        """Send a signed message; `options` as for KafkaProducer.send."""
        signed = [*(headers or ()), *self._keys.headers(topic, key, value or b"")]
        return super().send(topic, value=value, key=key, headers=signed, **options)


def producer(
    settings: Settings, *, client_id: str = "pressbox-relay", patience_ms: int = 10_000
) -> SigningProducer:
    """A producer with acknowledgement by every in-sync replica and idempotent retries in order.

    `patience_ms`: how long one message is tried before it fails.
    """
    return SigningProducer(
        StreamKeys.of(settings),
        **connection(settings),
        client_id=client_id,
        acks="all",
        enable_idempotence=True,
        linger_ms=0,  # one event at a time is in flight for a game: waiting for company only delays
        bootstrap_timeout_ms=patience_ms // 2,
        max_block_ms=patience_ms // 2,
        request_timeout_ms=patience_ms // 2,
        connections_max_idle_ms=max(LEAST_IDLE_MS, patience_ms),
        delivery_timeout_ms=patience_ms,
    )


def ingestion_consumer(settings: Settings, topic: Topic) -> TolerantConsumer:
    """A member of the ingestion group. Offsets are committed after PostgreSQL has committed."""
    return _consumer(settings, topic, INGESTION_GROUP, "pressbox-bridge", INGESTION_RECORDS)


def scores_consumer(settings: Settings, topic: Topic) -> TolerantConsumer:
    """A member of the group that puts scores on the boards; offsets are committed by hand too."""
    return _consumer(settings, topic, SCORES_GROUP, "pressbox-scores", SCORES_RECORDS)


def _consumer(
    settings: Settings, topic: Topic, group: str, client_id: str, records: int
) -> TolerantConsumer:
    return TolerantConsumer(
        topic.name,
        **connection(settings),
        client_id=client_id,
        group_id=settings.kafka_group_prefix + group,
        # kafka-python's default is True: it would commit what was never ingested
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        session_timeout_ms=6_000,
        heartbeat_interval_ms=2_000,
        max_poll_records=records,
        fetch_max_wait_ms=200,
    )


def ensure_topics(settings: Settings) -> list[str]:
    """Create the missing topics of the catalogue; returns their names.

    Raises kafka.errors.KafkaError.
    """
    admin = KafkaAdminClient(**connection(settings))
    try:
        missing = [topic for topic in TOPICS if topic.name not in set(admin.list_topics())]
        for topic in missing:
            try:
                admin.create_topics(
                    [
                        NewTopic(
                            topic.name,
                            num_partitions=settings.kafka_partitions,
                            replication_factor=settings.kafka_replication,
                            topic_configs={
                                "retention.ms": str(topic.retention_ms),
                                "max.message.bytes": str(MAX_MESSAGE_BYTES),
                            },
                        )
                    ]
                )
            except TopicAlreadyExistsError:
                continue  # another process of the same start was first
        return [topic.name for topic in missing]
    finally:
        admin.close()


class TopicIds:
    """Ids of topics: a topic that was deleted and created again has another id."""

    def __init__(self, settings: Settings) -> None:
        self._admin = KafkaAdminClient(**connection(settings))

    def __enter__(self) -> TopicIds:
        return self

    def __exit__(self, *_: object) -> None:
        self._admin.close()

    def of(self, topic: Topic) -> str:
        """The topic's id; "" if the broker does not say (before Kafka 2.8).

        Raises kafka.errors.KafkaError.
        """
        (description,) = self._admin.describe_topics([topic.name])
        return str(description["topic_id"]) if description.get("topic_id") else ""


def end_offsets(settings: Settings, topic: Topic) -> dict[int, int]:
    """The offset of the next message by partition. Raises kafka.errors.KafkaError."""
    consumer = TolerantConsumer(**connection(settings), enable_auto_commit=False)
    try:
        ends = _ends(consumer, topic, settings.kafka_answer_seconds)
        return {place.partition: end for place, end in ends.items()}
    finally:
        consumer.close()


def read_one(settings: Settings, topic: Topic, partition: int, offset: int) -> bytes | None:
    """The value of the message at this offset, read without a group.

    None if the topic does not hold it any more, or not yet. Raises kafka.errors.KafkaError, also if
    the broker does not answer within KAFKA_READ_SECONDS.
    """
    place = TopicPartition(topic.name, partition)
    consumer = TolerantConsumer(
        **connection(settings),
        **page_timeouts(settings),
        enable_auto_commit=False,
        auto_offset_reset="none",
        max_poll_records=1,
    )
    try:
        consumer.assign([place])
        consumer.seek(place, offset)
        deadline = time.monotonic() + settings.kafka_read_seconds
        while time.monotonic() < deadline:
            for record in consumer.poll(timeout_ms=200, max_records=1).get(place, []):
                return record.value if record.offset == offset else None
            end = consumer.highwater(place)
            if end is not None and end <= offset:
                return None
        raise KafkaTimeoutError(
            f"The broker did not give the message within {settings.kafka_read_seconds:g} s."
        )
    except OffsetOutOfRangeError:
        return None
    finally:
        consumer.close()


def lag(settings: Settings, topic: Topic) -> dict[int, int]:
    """How many messages ingestion has not committed yet, by partition; 0: all are in PostgreSQL."""
    consumer = TolerantConsumer(
        **connection(settings),
        group_id=settings.kafka_group_prefix + INGESTION_GROUP,
        enable_auto_commit=False,
    )
    try:
        ends = _ends(consumer, topic, settings.kafka_answer_seconds)
        return {
            place.partition: end - (consumer.committed(place) or 0) for place, end in ends.items()
        }
    finally:
        consumer.close(autocommit=False)


def _ends(consumer: KafkaConsumer, topic: Topic, seconds: float) -> dict[TopicPartition, int]:
    """Where each partition ends.

    Takes the consumer's assignment; raises KafkaTimeoutError after `seconds`. The embedded broker's
    answer may point into its last batch; fetching that batch gives the true end.
    """
    places = [
        TopicPartition(topic.name, number)
        for number in consumer.partitions_for_topic(topic.name) or ()
    ]
    ends: dict[TopicPartition, int] = consumer.end_offsets(places)
    begins = consumer.beginning_offsets(places)
    filled = {place for place in places if ends[place] > begins[place]}
    consumer.assign(filled)
    for place in filled:
        consumer.seek(place, ends[place] - 1)
    deadline = time.monotonic() + seconds
    while unknown := [place for place in filled if consumer.highwater(place) is None]:
        if time.monotonic() > deadline:
            raise KafkaTimeoutError(
                f"The broker did not answer within {seconds:g} s where {unknown[0]} ends."
            )
        consumer.poll(timeout_ms=100)
    return {
        place: max(end, consumer.highwater(place) or 0) if place in filled else end
        for place, end in ends.items()
    }
