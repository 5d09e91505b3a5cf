"""Reads a topic without a consumer group.

It yields only messages with a valid signature, so the archive, rebuilding and `pressbox tail` never
see others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from kafka import TopicPartition

from app.core.errors import UserError
from app.settings import Settings
from app.stream.kafka import connection, end_offsets
from app.stream.signing import StreamKeys, key_id_of
from app.stream.tolerant_consumer import TolerantConsumer, fault_of
from app.stream.topics import GAME_EVENTS, Topic


@dataclass(frozen=True)
class StoredMessage:
    """A message and its offset. `timestamp` is the broker's, in milliseconds since 1970 (UTC)."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    timestamp: int
    value: bytes
    # of the key that signed it; only for messages read from the topic
    key_id: str = field(default="", compare=False)


class NoTopicError(UserError):
    """The broker has no such topic."""


# Returns (game_id, event_number) of a message, or None if it is not an event. The stream does not
# know the wire schema, so the record provides this function (app/record/rebuild.identify).
Identify = Callable[[bytes], tuple[str, int] | None]


def read(
    settings: Settings,
    topic: Topic = GAME_EVENTS,
    *,
    from_beginning: bool = True,
    until_end: bool = True,
    refused: Callable[[StoredMessage], object] = lambda _: None,
) -> Iterator[StoredMessage]:
    """Yield every message of ours in offset order within a partition, then wait for new ones.

    With `until_end`, it stops at the end that the topic had at the start, and treats a missing
    topic as empty. `refused` is called with each message that is unreadable or has no valid
    signature; the bridge stores those as dead letters. Raises NoTopicError and
    kafka.errors.KafkaError.
    """
    keys = StreamKeys.of(settings)
    consumer = TolerantConsumer(
        **connection(settings),
        client_id="pressbox-reader",
        bootstrap_timeout_ms=10_000,
        auto_offset_reset="earliest" if from_beginning else "latest",
        enable_auto_commit=False,
    )
    try:
        places = [
            TopicPartition(topic.name, n)
            for n in sorted(consumer.partitions_for_topic(topic.name) or ())
        ]
        if not places:
            if until_end:
                return
            raise NoTopicError(f"There is no topic {topic.name}. `pressbox migrate` creates it.")
        ends = end_offsets(settings, topic)
        consumer.assign(places)
        for place in places:
            if from_beginning:
                consumer.seek_to_beginning(place)
            else:
                consumer.seek(place, ends[place.partition])
        while not until_end or any(
            consumer.position(place) < ends[place.partition] for place in places
        ):
            for records in consumer.poll(timeout_ms=500).values():
                for record in records:
                    message = StoredMessage(
                        record.topic,
                        record.partition,
                        record.offset,
                        record.key,
                        record.timestamp,
                        record.value or b"",
                        key_id_of(record.headers),
                    )
                    if fault_of(keys, record) is None:
                        yield message
                    else:
                        refused(message)
    finally:
        consumer.close()


def signatures(settings: Settings, topics: Iterable[Topic]) -> Counter[str]:
    """Return the number of messages on the topics that each key has signed, by the key's id.

    The empty id counts messages without a valid signature.
    """
    counts: Counter[str] = Counter()

    def refused(_: StoredMessage) -> None:
        counts[""] += 1

    for topic in topics:
        for message in read(settings, topic, refused=refused):
            counts[message.key_id] += 1
    return counts
