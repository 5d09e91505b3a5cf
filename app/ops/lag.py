"""How far consumers of the stream are behind, by partition: in messages, and in seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass

from kafka import TopicPartition

from app.core.coalescing import AnswerTimeoutError
from app.settings import Settings
from app.stream.kafka import brokers, connection, page_timeouts
from app.stream.tolerant_consumer import TolerantConsumer
from app.stream.topics import GAME_EVENTS, INGESTION_GROUP, SCORE_EVENTS, SCORES_GROUP, Topic

SLO_SECONDS = 5.0  # the objective of seed 003: what waits first waits no longer
SHARED_SECONDS = 1.0
GROUPS = ((INGESTION_GROUP, GAME_EVENTS), (SCORES_GROUP, SCORE_EVENTS))


@dataclass(frozen=True)
class Lag:
    """`messages` that the group has not committed.

    `seconds` since the first of them came to Kafka, 0 without any. Both are None while the broker
    does not tell: then nobody knows.
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
    """Every group and partition, in order, as it was at most SHARED_SECONDS ago.

    Raises KafkaError, and AnswerTimeoutError after KAFKA_PAGE_SECONDS.
    """
    key = (settings.kafka, settings.kafka_group_prefix)
    return list(
        brokers.ask(
            key,
            lambda: _lags(settings),
            patience=settings.kafka_page_seconds,
            shared=SHARED_SECONDS,
        )
    )


def behind(settings: Settings) -> int:
    """Messages that any group has not committed.

    Raises as `lags`, and AnswerTimeoutError that names the partitions of which that is not known.
    """
    found = lags(settings)
    unknown = [f"{one.group} {one.partition}" for one in found if one.messages is None]
    if unknown:
        raise AnswerTimeoutError(f"not known of {', '.join(unknown)}")
    return sum(one.messages or 0 for one in found)


def _lags(settings: Settings) -> list[Lag]:
    return [one for group, topic in GROUPS for one in _of(settings, group, topic)]


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
        found: list[Lag] = []
        for place in places:
            if place in unread:
                found.append(Lag(group, topic.name, place.partition, None, None))
                continue
            # The embedded broker names an end inside its last batch; a place that gives nothing has
            # nothing waiting.
            messages = ends[place] - done[place] if place in waits else 0
            found.append(Lag(group, topic.name, place.partition, messages, waits.get(place, 0.0)))
        return found
    finally:
        consumer.close(autocommit=False)


def _first_waiting(
    consumer: TolerantConsumer, offsets: dict[TopicPartition, int], seconds: float
) -> tuple[dict[TopicPartition, float], set[TopicPartition]]:
    """By place, for how many seconds the message at the offset has been in Kafka.

    And the places of which the broker did not answer within `seconds` what is there.
    """
    if not offsets:
        return {}, set()
    consumer.assign(list(offsets))
    for place, offset in offsets.items():
        consumer.seek(place, offset)
    found: dict[TopicPartition, float] = {}
    deadline = time.monotonic() + seconds
    while len(found) < len(offsets) and time.monotonic() < deadline:
        for place, records in consumer.poll(timeout_ms=200).items():
            waiting = [record for record in records if record.offset >= offsets[place]]
            if waiting and place not in found:
                found[place] = max(0.0, time.time() - waiting[0].timestamp / 1000)
                consumer.pause(place)
    # An answer without a message names the end of the partition all the same.
    return found, {
        place for place in offsets if place not in found and consumer.highwater(place) is None
    }
