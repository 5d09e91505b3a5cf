"""Reads a topic without a consumer group.

Only messages with a valid signature are read: the archive, rebuilding and `pressbox tail` see no
others.
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
    """A message and its offset. `timestamp`: the broker's, in milliseconds since 1970 (UTC)."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    timestamp: int
    value: bytes
    # of the key that signed it, while it is on the topic
    key_id: str = field(default="", compare=False)


class NoTopicError(UserError):
    """The broker has no such topic."""


# (game_id, event_number) of a message, None when it is no event. The stream does not know the wire
# schema: the record gives this (app/record/rebuild.identify).
Identify = Callable[[bytes], tuple[str, int] | None]


def read(
    settings: Settings,
    topic: Topic = GAME_EVENTS,
    *,
    from_beginning: bool = True,
    until_end: bool = True,
    refused: Callable[[StoredMessage], object] = lambda _: None,
) -> Iterator[StoredMessage]:
    """Every message of ours in offset order within a partition, then new ones unless `until_end`.

    `until_end`: up to the end that the topic had at the start; a missing topic is empty. `refused`
    is called with each message that is unreadable or has no valid signature, which is a dead letter
    of the bridge. Raises NoTopicError, kafka.errors.KafkaError.
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
            raise NoTopicError(f"There is no topic {topic.name}: `pressbox migrate` makes it.")
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
    """How many messages on the topics each key has signed, by its id.

    The empty id counts messages without a valid signature.
    """
    counts: Counter[str] = Counter()

    def refused(_: StoredMessage) -> None:
        counts[""] += 1

    for topic in topics:
        for message in read(settings, topic, refused=refused):
            counts[message.key_id] += 1
    return counts
