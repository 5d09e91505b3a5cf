"""How far consumers of the stream are behind, by partition: in messages, and in seconds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from kafka import TopicPartition

from app.settings import Settings
from app.stream.kafka import AnswerTimeoutError, ask_for_page, connection, page_timeouts
from app.stream.tolerant_consumer import TolerantConsumer
from app.stream.topics import GAME_EVENTS, INGESTION_GROUP, SCORE_EVENTS, SCORES_GROUP, Topic

SLO_SECONDS = 5.0  # the objective of seed 003 for the first waiting message
GROUPS = ((INGESTION_GROUP, GAME_EVENTS), (SCORES_GROUP, SCORE_EVENTS))


@dataclass(frozen=True)
class Lag:
    """The lag of a consumer group on a partition.

    `messages` are those that the group has not committed, `seconds` the time since the first of
    them arrived in Kafka, or 0. Both are None if the broker does not answer.
    """

    group: str
    topic: str
    partition: int
    messages: int | None
    seconds: float | None

    @property
    def is_missed(self) -> bool:
        """Whether the objective is missed."""
        return self.seconds is not None and self.seconds > SLO_SECONDS


def lags(settings: Settings) -> list[Lag]:
    """Return the lag of every group and partition.

    Raises:
        KafkaError: Kafka does not answer.
        AnswerTimeoutError: It took longer than KAFKA_PAGE_SECONDS.
    """
    return ask_for_page(settings, lambda: _lags(settings))


def behind(partitions: Sequence[Lag]) -> int:
    """Count the messages that any group has not committed.

    Raises:
        AnswerTimeoutError: The lag of a partition is unknown; the text names it.
    """
    unknown = [
        f"{partition.group} {partition.partition}"
        for partition in partitions
        if partition.messages is None
    ]
    if unknown:
        raise AnswerTimeoutError(f"not known of {', '.join(unknown)}")
    return sum(partition.messages or 0 for partition in partitions)


def _lags(settings: Settings) -> list[Lag]:
    return [partition for group, topic in GROUPS for partition in _of(settings, group, topic)]


def _of(settings: Settings, group: str, topic: Topic) -> list[Lag]:
    consumer = TolerantConsumer(
        **connection(settings),
        group_id=settings.kafka_group_prefix + group,
        enable_auto_commit=False,
        **page_timeouts(settings),
    )
    try:
        places = [
            TopicPartition(topic.name, number)
            for number in sorted(consumer.partitions_for_topic(topic.name) or ())
        ]
        ends = consumer.end_offsets(places)
        begins = consumer.beginning_offsets(places)
        done = {place: max(consumer.committed(place) or 0, begins[place]) for place in places}
        unfinished = {place: done[place] for place in places if ends[place] > done[place]}
        waits, unread = _first_waiting(consumer, unfinished, settings.kafka_read_seconds)
        partitions: list[Lag] = []
        for place in places:
            if place in unread:
                partitions.append(Lag(group, topic.name, place.partition, None, None))
                continue
            # The embedded broker reports an end inside its last batch; if a partition returns no
            # message, none waits.
            messages = ends[place] - done[place] if place in waits else 0
            partitions.append(
                Lag(group, topic.name, place.partition, messages, waits.get(place, 0.0))
            )
        return partitions
    finally:
        consumer.close(autocommit=False)


def _first_waiting(
    consumer: TolerantConsumer, offsets: dict[TopicPartition, int], seconds: float
) -> tuple[dict[TopicPartition, float], set[TopicPartition]]:
    """Return for how long the message at each offset has been in Kafka.

    Returns:
        Seconds by partition, and the partitions for which the broker did not answer in time.
    """
    if not offsets:
        return {}, set()
    consumer.assign(list(offsets))
    for place, offset in offsets.items():
        consumer.seek(place, offset)
    waits: dict[TopicPartition, float] = {}
    deadline = time.monotonic() + seconds
    while len(waits) < len(offsets) and time.monotonic() < deadline:
        for place, records in consumer.poll(timeout_ms=200).items():
            waiting = [record for record in records if record.offset >= offsets[place]]
            if waiting and place not in waits:
                waits[place] = max(0.0, time.time() - waiting[0].timestamp / 1000)
                consumer.pause(place)
    # An answer without a message still has the end of the partition.
    return waits, {
        place for place in offsets if place not in waits and consumer.highwater(place) is None
    }
