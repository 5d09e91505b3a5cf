"""Kafka clients with the settings that every process here needs, and the creation of topics.

Reading, writing and committing offsets is in workers/relay.py and workers/bridge.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, TypeVar

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from kafka.cluster import ClusterMetadata
from kafka.errors import KafkaTimeoutError, OffsetOutOfRangeError, TopicAlreadyExistsError
from kafka.future import Future
from kafka.partitioner import DefaultPartitioner, murmur2
from typing_extensions import override

from app.settings import Settings
from app.stream.signing import Header, StreamKeys
from app.stream.tolerant_consumer import TolerantConsumer, make_no_topic
from app.stream.topics import INGESTION_GROUP, MAX_MESSAGE_BYTES, SCORES_GROUP, TOPICS, Topic

# Records per poll. A game's results are computed once per poll and game, so on a backlog a few
# large polls cost a third of many small ones. All records of a poll must be ingested within
# workers.bridge.JOB_SECONDS, even on a busy machine.
INGESTION_RECORDS = 5_000
SCORES_RECORDS = 500
# Kafka answers a waiting fetch as soon as a record arrives. The embedded broker answers at half of
# this time or at its end, so its consumers ask when something is announced (announcements.py).
FETCH_MS = 500
EMBEDDED_FETCH_MS = 20

# Idle connections are closed after this time at the earliest. It must be longer than the request
# timeout, or kafka-python refuses the settings.
LEAST_IDLE_MS = 540_000

Answer = TypeVar("Answer")

_page_calls = ThreadPoolExecutor(4, thread_name_prefix="broker-call")


class AnswerTimeoutError(OSError):
    """The brokers did not answer in time."""


def ask_for_page(settings: Settings, look: Callable[[], Answer]) -> Answer:
    """Return the result of `look`, which asks the brokers, within KAFKA_PAGE_SECONDS.

    A page must not hold a thread of the web server because Kafka does not answer. So at most four
    calls run at once, each in another thread without an application context.

    Raises:
        AnswerTimeoutError: No result in time. A call that has begun goes on.
        Exception: Whatever `look` raises.
    """
    call, seconds = _page_calls.submit(look), settings.kafka_page_seconds
    try:
        return call.result(seconds)
    except TimeoutError as error:
        if call.done():
            raise  # raised by `look` itself
        call.cancel()
        raise AnswerTimeoutError(f"No answer within {seconds:g} s.") from error


def page_timeouts(settings: Settings) -> dict[str, int]:
    """Return the timeouts of a client that asks for a page. It tries as long as the page waits."""
    seconds = settings.kafka_page_seconds + settings.kafka_read_seconds
    request_ms = max(1_000, round(seconds * 1000))
    return {
        "bootstrap_timeout_ms": 2_000,
        "request_timeout_ms": request_ms,
        "connections_max_idle_ms": max(LEAST_IDLE_MS, 2 * request_ms),
    }


def connection(settings: Settings) -> dict[str, Any]:
    """Return the addresses and credentials of the brokers, the settings that all clients share."""
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


class KeyPartitioner(DefaultPartitioner):
    """Chooses the same partition as kafka-python does, and hashes each key once.

    Keys are few (of games, and of shards of modes), and the hash is computed in Python: it takes a
    third of `send`.
    """

    @override
    def partition(
        self,
        topic: str,
        key: bytes | None,
        serialized_key: bytes | None,
        value: bytes | None,
        serialized_value: bytes | None,
        cluster: ClusterMetadata,
    ) -> int:
        """Return the partition of a message."""
        if serialized_key is None:
            chosen: int = super().partition(
                topic, key, serialized_key, value, serialized_value, cluster
            )
            return chosen
        partitions = sorted(cluster.partitions_for_topic(topic))
        number: int = partitions[_hash_of(serialized_key) % len(partitions)]
        return number


@lru_cache(maxsize=65_536)
def _hash_of(key: bytes) -> int:
    positive: int = murmur2(key) & 0x7FFFFFFF
    return positive


class SigningProducer(KafkaProducer):
    """A producer that signs every message. All messages of Pressbox go through it."""

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
    """Return a producer that waits for every in-sync replica and retries idempotently, in order.

    A message fails if it is not acknowledged within `patience_ms`.
    """
    return SigningProducer(
        StreamKeys.of(settings),
        **connection(settings),
        client_id=client_id,
        acks="all",
        enable_idempotence=True,
        partitioner=KeyPartitioner(),
        linger_ms=0,  # each game has one event in flight, so waiting for a batch only delays it
        bootstrap_timeout_ms=patience_ms // 2,
        max_block_ms=patience_ms // 2,
        request_timeout_ms=patience_ms // 2,
        connections_max_idle_ms=max(LEAST_IDLE_MS, patience_ms),
        delivery_timeout_ms=patience_ms,
    )


def ingestion_consumer(settings: Settings, topic: Topic) -> TolerantConsumer:
    """Return a member of the ingestion group. Commit its offsets after PostgreSQL has committed."""
    return _consumer(
        settings,
        topic,
        INGESTION_GROUP,
        client_id="pressbox-bridge",
        max_poll_records=INGESTION_RECORDS,
    )


def scores_consumer(settings: Settings, topic: Topic) -> TolerantConsumer:
    """Return a member of the group that puts scores on boards. The caller commits its offsets."""
    return _consumer(
        settings,
        topic,
        SCORES_GROUP,
        client_id="pressbox-scores",
        max_poll_records=SCORES_RECORDS,
    )


def _consumer(
    settings: Settings, topic: Topic, group: str, **config: str | int
) -> TolerantConsumer:
    return TolerantConsumer(
        topic.name,
        **connection(settings),
        **config,
        group_id=settings.kafka_group_prefix + group,
        fetch_max_wait_ms=EMBEDDED_FETCH_MS if settings.kafka_in_memory else FETCH_MS,
        # kafka-python's default, True, would commit offsets of messages that were never ingested
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        session_timeout_ms=6_000,
        heartbeat_interval_ms=2_000,
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
    """Reads the ids of topics. A topic that was deleted and created again has another id."""

    def __init__(self, settings: Settings) -> None:
        self._admin = KafkaAdminClient(**connection(settings))

    def __enter__(self) -> TopicIds:
        return self

    def __exit__(self, *_: object) -> None:
        self._admin.close()

    def of(self, topic: Topic) -> str:
        """Return the topic's id; "" if the broker does not say (before Kafka 2.8).

        Raises kafka.errors.KafkaError.
        """
        (description,) = self._admin.describe_topics([topic.name])
        return str(description["topic_id"]) if description.get("topic_id") else ""


def end_offsets(settings: Settings, topic: Topic) -> dict[int, int]:
    """Return the offset of the next message by partition. Raises kafka.errors.KafkaError."""
    consumer = TolerantConsumer(**connection(settings), enable_auto_commit=False)
    try:
        ends = _ends(consumer, topic, settings.kafka_answer_seconds)
        return {place.partition: end for place, end in ends.items()}
    finally:
        consumer.close()


def read_one(settings: Settings, topic: Topic, partition: int, offset: int) -> bytes | None:
    """Return the value of the message at this offset, read without a group.

    None if the topic no longer has the message, or does not have it yet. Raises
    kafka.errors.KafkaError, also if the broker does not answer within KAFKA_READ_SECONDS.
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
            f"The broker did not return the message within {settings.kafka_read_seconds:g} s."
        )
    except OffsetOutOfRangeError:
        return None
    finally:
        consumer.close()


def lag(settings: Settings, topic: Topic) -> dict[int, int]:
    """Return the number of messages by partition that ingestion has not committed yet.

    If it is 0, all messages are in PostgreSQL.
    """
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
    """Return the end offset of each partition. Raises KafkaTimeoutError after `seconds`.

    Changes the consumer's assignment. The embedded broker's answer may point into the middle of its
    last batch, so that batch is fetched to find the true end.
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
                f"The broker did not report where {unknown[0]} ends within {seconds:g} s."
            )
        consumer.poll(timeout_ms=100)
    return {
        place: max(end, consumer.highwater(place) or 0) if place in filled else end
        for place, end in ends.items()
    }
