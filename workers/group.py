"""Shared by the members of a consumer group: committing offsets, going back to them, and the log of their partitions.

A member commits an offset only when PostgreSQL has the messages before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import structlog
from kafka import ConsumerRebalanceListener, KafkaConsumer, OffsetAndMetadata, TopicPartition
from kafka.errors import CommitFailedError

log = structlog.get_logger(__name__)


class LogPartitions(ConsumerRebalanceListener):
    """Logs the partitions that this process gets and loses."""

    def on_partitions_revoked(self, revoked: list[TopicPartition]) -> None:
        log.info("revoked", partitions=_numbers(sorted(revoked)))

    def on_partitions_assigned(self, assigned: list[TopicPartition]) -> None:
        log.info("assigned", partitions=_numbers(sorted(assigned)))


def commit(consumer: KafkaConsumer, following: Mapping[TopicPartition, int]) -> None:
    """Commits the offset that follows in each partition. Raises KafkaError.

    Refused when the group gave a partition to another process meanwhile: that one takes the messages again, harmlessly.
    """
    try:
        consumer.commit({place: OffsetAndMetadata(offset, "", -1) for place, offset in following.items()})
    except CommitFailedError:
        log.warning("commit_refused", partitions=_numbers(following))


def take_again(consumer: KafkaConsumer, first: Mapping[TopicPartition, int]) -> None:
    """Goes back to these offsets, in the partitions that are still ours."""
    ours = consumer.assignment()
    for place, offset in first.items():
        if place in ours:
            consumer.seek(place, offset)


def _numbers(places: Iterable[TopicPartition]) -> str:
    return ",".join(str(place.partition) for place in places)
