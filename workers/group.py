"""A member of a consumer group: polls records, and commits their offsets after they are stored.

Each offset is committed with the id of its topic. A topic that was deleted and created again has
another id. It is read from the beginning, because the old offsets would skip its first messages.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping

import structlog
from kafka import ConsumerRebalanceListener, OffsetAndMetadata, TopicPartition
from kafka.consumer.fetcher import ConsumerRecord
from kafka.errors import CommitFailedError
from sqlalchemy.exc import SQLAlchemyError

from app.core.errors import one_line
from app.stream.announcements import Announcements
from app.stream.kafka import EMBEDDED_FETCH_MS
from app.stream.tolerant_consumer import TolerantConsumer
from app.stream.topics import Topic

log = structlog.get_logger(__name__)

LOOK_SECONDS = 5.0  # between checks of the topic's id
UNANNOUNCED_SECONDS = 3.0  # between fetches, in case an announcement was lost
ANNOUNCED_SECONDS = 0.3  # for what is announced to be found, on a busy machine

Records = dict[TopicPartition, list[ConsumerRecord]]


class TopicReplacedError(Exception):
    """The topic was replaced since this member joined; it must join again."""


class Partitions(ConsumerRebalanceListener):
    """Logs the partitions that this process gets and loses.

    `settled_at`: when it has had its partitions for long enough to know its offsets. Until then,
    and while the group is being joined, only the next poll takes the consumer further.
    """

    def __init__(self) -> None:
        self.settled_at = math.inf

    def on_partitions_revoked(self, revoked: list[TopicPartition]) -> None:
        """Note lost partitions."""
        self.settled_at = math.inf
        log.info("revoked", partitions=_numbers(sorted(revoked)))

    def on_partitions_assigned(self, assigned: list[TopicPartition]) -> None:
        """Note new partitions."""
        self.settled_at = time.monotonic() + UNANNOUNCED_SECONDS if assigned else math.inf
        log.info("assigned", partitions=_numbers(sorted(assigned)))


class Member:
    """A consumer of a group. Creating it subscribes the consumer to the topic.

    Args:
        consumer: The consumer.
        topic: The topic.
        topic_id: Asks the brokers for the topic's current id; returns "" if they do not say.
        replaced: Called when offsets turn out to belong to a topic that no longer exists.
        announcements: Waits for new messages in place of the embedded broker.
    """

    def __init__(
        self,
        consumer: TolerantConsumer,
        topic: Topic,
        topic_id: Callable[[], str],
        replaced: Callable[[], None],
        announcements: Announcements | None = None,
    ) -> None:
        self._consumer = consumer
        self._ask = topic_id
        self._topic_id = topic_id()
        self._replaced = replaced
        self._announcements = announcements
        self._has_read_all = False  # as far as the last poll says
        self._known: set[TopicPartition] = set()
        self._next_look = time.monotonic() + LOOK_SECONDS
        self._next_fetch = 0.0  # without an announcement
        self._search_until = 0.0  # for what was announced
        self._partitions = Partitions()
        consumer.subscribe([topic.name], listener=self._partitions)

    def poll(self, timeout_ms: int) -> Records:
        """Return new records by partition, in their order.

        Raises:
            KafkaError: Kafka is unavailable.
            TopicReplacedError: The topic was replaced. Records that were polled but not committed
                are delivered again to the member that joins next.
        """
        if time.monotonic() >= self._next_look:
            if self._ask() != self._topic_id:
                raise TopicReplacedError
            self._next_look = time.monotonic() + LOOK_SECONDS
        records = self._fetch(timeout_ms)
        assigned = set(self._consumer.assignment())
        anew = [place for place in assigned - self._known if self._is_of_another(place)]
        if anew:
            log.error("topic_replaced", partitions=_numbers(sorted(anew)))
            try:
                self._replaced()
            except SQLAlchemyError as error:
                # nothing is committed, so the next member notices it again
                raise TopicReplacedError(one_line(error)) from error
        for place in anew:
            self._consumer.seek(place, 0)
            records.pop(place, None)
        self._known = assigned
        return records

    def _fetch(self, timeout_ms: int) -> Records:
        if self._announcements is not None and time.monotonic() >= self._partitions.settled_at:
            if self._has_read_all and time.monotonic() >= self._search_until:
                if self._announcements.wait(timeout_ms / 1000):
                    self._search_until = time.monotonic() + ANNOUNCED_SECONDS
                elif time.monotonic() < self._next_fetch:
                    return {}
            # Time for a fetch from before the announcement, and for one from after it.
            timeout_ms = min(timeout_ms, 2 * EMBEDDED_FETCH_MS)
        records: Records = self._consumer.poll(timeout_ms=timeout_ms)
        self._has_read_all = not records
        if records:
            self._search_until = 0.0
        self._next_fetch = time.monotonic() + UNANNOUNCED_SECONDS
        return records

    def _is_of_another(self, place: TopicPartition) -> bool:
        committed = self._consumer.committed(place, metadata=True)
        known = "" if committed is None else committed.metadata
        return bool(known and self._topic_id) and known != self._topic_id

    def commit(self, following: Mapping[TopicPartition, int]) -> None:
        """Commit the next offset of each partition. Raises KafkaError.

        If the group has given a partition to another process, the commit is refused and logged.
        The other process reads the messages again, which does no harm.
        """
        offsets = {
            place: OffsetAndMetadata(offset, self._topic_id, -1)
            for place, offset in following.items()
        }
        try:
            self._consumer.commit(offsets)
        except CommitFailedError:
            log.warning("commit_refused", partitions=_numbers(following))

    def take_again(self, first: Mapping[TopicPartition, int]) -> None:
        """Go back to these offsets in the partitions that are still assigned."""
        assigned = self._consumer.assignment()
        for place, offset in first.items():
            if place in assigned:
                self._consumer.seek(place, offset)


def _numbers(places: Iterable[TopicPartition]) -> str:
    return ",".join(str(place.partition) for place in places)
