"""What members of a consumer group share: they say in the log which partitions they have."""

from __future__ import annotations

import structlog
from kafka import ConsumerRebalanceListener, TopicPartition

log = structlog.get_logger(__name__)


class Told(ConsumerRebalanceListener):
    """Says in the log which partitions this process has."""

    def on_partitions_revoked(self, revoked: list[TopicPartition]) -> None:
        log.info("revoked", partitions=",".join(str(place.partition) for place in sorted(revoked)))

    def on_partitions_assigned(self, assigned: list[TopicPartition]) -> None:
        log.info("assigned", partitions=",".join(str(place.partition) for place in sorted(assigned)))
