"""The example subscriber: reads `game-events.v1` without a group, so it takes nothing from anybody (PRODUCT A6)."""

from __future__ import annotations

from collections.abc import Iterator

from kafka import KafkaConsumer, TopicPartition

from app.settings import Settings
from app.stream.topics import GAME_EVENTS


def tail(
    settings: Settings, *, from_beginning: bool = False, game_id: str | None = None, until_end: bool = False
) -> Iterator[tuple[int, int, bytes]]:
    """Partition, offset and value of each message, in order within a partition; then of each new one, for ever.

    `game_id`: that game alone. `until_end`: stop at the end that the topic had at the start.
    """
    consumer = KafkaConsumer(
        bootstrap_servers=settings.kafka_servers,
        client_id="pressbox-tail",
        auto_offset_reset="earliest" if from_beginning else "latest",
        enable_auto_commit=False,
    )
    try:
        numbers = consumer.partitions_for_topic(GAME_EVENTS.name) or ()
        places = [TopicPartition(GAME_EVENTS.name, number) for number in sorted(numbers)]
        consumer.assign(places)
        (consumer.seek_to_beginning if from_beginning else consumer.seek_to_end)()
        ends = consumer.end_offsets(places)
        while not until_end or any(consumer.position(place) < ends[place] for place in places):
            for records in consumer.poll(timeout_ms=500).values():
                for record in records:
                    if game_id is None or record.key == game_id.encode():
                        yield record.partition, record.offset, record.value or b""
    finally:
        consumer.close()
