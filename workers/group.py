"""Shared by the members of a consumer group: the log names the partitions of each."""

from __future__ import annotations

import structlog
from kafka import ConsumerRebalanceListener, TopicPartition

log = structlog.get_logger(__name__)


class LogPartitions(ConsumerRebalanceListener):
    """Logs the partitions that this process gets and loses."""

    def on_partitions_revoked(self, revoked: list[TopicPartition]) -> None:
        log.info("revoked", partitions=",".join(str(place.partition) for place in sorted(revoked)))

    def on_partitions_assigned(self, assigned: list[TopicPartition]) -> None:
        log.info("assigned", partitions=",".join(str(place.partition) for place in sorted(assigned)))
