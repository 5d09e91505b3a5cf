"""A Kafka consumer that skips unreadable records.

Anybody who reaches the broker can write a record that kafka-python cannot parse. Its `poll` would
raise at that offset and never get past it. This consumer returns such a record as an
UnreadableRecord at its offset, and the records before and after it as usual. Unreadable records are
handled in refused_messages.py and topic_reader.py.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from kafka import KafkaConsumer, TopicPartition
from kafka.consumer.fetcher import ConsumerRecord, Fetcher
from kafka.errors import KafkaError
from kafka.record.default_records import DefaultRecordBatch
from kafka.record.util import decode_varint

from app.stream.signing import SIGNATURE, StreamKeys

BROKEN = "unreadable: its bytes are not a Kafka record: a header, a length or the checksum is wrong"
COMPRESSED = "unreadable: it cannot be decompressed; Pressbox itself does not compress"
INFLATED_BYTES = 64 * 1024 * 1024  # larger batches (decompressed) are not read

FIRST_MAGIC_WITH_HEADERS = 2  # the record format since Kafka 0.11
_UNPARSED = (KafkaError, ValueError, IndexError)
_NOT_DECOMPRESSED = (KafkaError, ValueError, OSError, EOFError, zlib.error)


class UnreadableRecord(ConsumerRecord):
    """A record that stands for unreadable bytes, which are its value."""

    reason: str


class TolerantConsumer(KafkaConsumer):
    """A KafkaConsumer whose `poll` returns UnreadableRecords instead of failing.

    It never creates missing topics, because they would get the broker's default number of
    partitions.
    """

    def __init__(self, *topics: str, **config: Any) -> None:
        super().__init__(*topics, **config)
        make_no_topic(self._client.cluster)
        if self._coordinator is not None:
            _finish_joining(self._coordinator)
        self._fetcher.PartitionRecords = _Records


def make_no_topic(cluster: Any) -> None:
    """Keep the consumer or producer with this metadata from creating missing topics.

    kafka-python 3.0.12 accepts `allow_auto_create_topics` but ignores it.
    """
    cluster.config["allow_auto_create_topics"] = False


def _finish_joining(coordinator: Any) -> None:
    """Let a member continue joining with the next poll if a poll ended before the join did.

    In kafka-python 3.0.12, `need_rejoin` is false while a join that changes partitions is under
    way. Then nothing completes that join, and the member never gets partitions or sends heartbeats.
    """
    needed = coordinator.need_rejoin
    coordinator.need_rejoin = lambda: coordinator.rejoining or needed()


def fault_of(keys: StreamKeys, record: ConsumerRecord) -> str | None:
    """Return why the record cannot be trusted, or None if it is ours.

    The text starts with `unreadable`, `unsigned` or `bad-signature`.
    """
    if isinstance(record, UnreadableRecord):
        return record.reason
    return keys.fault(record.topic, record.key, record.value or b"", record.headers)


class _Records(Fetcher.PartitionRecords):
    """The records of one fetch from one partition. Overrides the step that parses them."""

    def _unpack_records(
        self, tp: TopicPartition, records: Any, *_deserializers: object
    ) -> Iterator[ConsumerRecord]:
        while (batch := records.next_batch()) is not None:
            self.leader_epoch = getattr(batch, "leader_epoch", -1)
            for record in _read(tp, batch):
                self.next_fetch_offset = record.offset + 1
                self.records_read += 1
                yield record
            self.next_fetch_offset = _last_offset(batch) + 1
        self.drain()


def _last_offset(batch: Any) -> int:
    is_old = batch.magic < FIRST_MAGIC_WITH_HEADERS
    return int(batch.base_offset if is_old else max(batch.base_offset, batch.last_offset))


def _read(tp: TopicPartition, batch: Any) -> Iterator[ConsumerRecord]:
    """Yield the records of a batch by ascending offset, all within the offsets of the batch."""
    if batch.magic < FIRST_MAGIC_WITH_HEADERS:  # without headers there is no signature
        yield _unreadable(tp, batch, _last_offset(batch), bytes(batch._buffer), BROKEN)
        return
    if batch.is_control_batch:
        return  # a transaction marker, not a message
    raw = bytes(batch._buffer)
    try:
        _decompress(batch)
    except _NOT_DECOMPRESSED:
        yield _unreadable(tp, batch, _last_offset(batch), raw, COMPRESSED)
        return
    yield from _records(tp, batch, raw)


def _records(tp: TopicPartition, batch: Any, raw: bytes) -> Iterator[ConsumerRecord]:
    """Yield the records of a batch. One that cannot be parsed is skipped by its length.

    If the length is wrong too, the rest of the batch is one unreadable record.
    """
    before, last = batch.base_offset - 1, _last_offset(batch)
    unread = batch.records_count
    while unread > 0 and before < last:
        start = batch._pos
        try:
            record = batch._read_msg()
        except _UNPARSED:
            record = None
        if record is not None and before < record.offset <= last:
            before = record.offset
            yield _readable(tp, batch, record, raw)
        elif (end := _end_of_record(batch._buffer, start)) is not None:
            batch._pos = end
            before += 1
            yield _unreadable(tp, batch, before, bytes(batch._buffer[start:end]), BROKEN)
        else:
            break
        unread -= 1
    if before < last and batch._pos != len(batch._buffer):
        yield _unreadable(tp, batch, last, bytes(batch._buffer[batch._pos :]), BROKEN)


def _end_of_record(buffer: bytearray, start: int) -> int | None:
    try:
        length, body = decode_varint(buffer, start)
    except _UNPARSED:
        return None
    return body + length if 0 < length <= len(buffer) - body else None


def _decompress(batch: Any) -> None:
    """Raises one of _NOT_DECOMPRESSED."""
    if batch.compression_type == DefaultRecordBatch.CODEC_GZIP:
        inflating = zlib.decompressobj(wbits=31)
        inflating.decompress(batch._buffer[batch._pos :], INFLATED_BYTES)
        if inflating.unconsumed_tail:
            raise ValueError("too long")
    batch._maybe_uncompress()


def _readable(tp: TopicPartition, batch: Any, record: Any, raw: bytes) -> ConsumerRecord:
    # A signature proves more than the checksum, so the checksum is only computed without one.
    if (
        not any(name == SIGNATURE for name, _ in record.headers)
        and not DefaultRecordBatch(raw).validate_crc()
    ):
        return _unreadable(tp, batch, record.offset, record.value or b"", BROKEN)
    place = (
        tp.topic,
        tp.partition,
        batch.leader_epoch,
        record.offset,
        record.timestamp,
        record.timestamp_type,
    )
    return ConsumerRecord(*place, record.key, record.value, record.headers, None, -1, -1, -1)


def _unreadable(
    tp: TopicPartition, batch: Any, offset: int, value: bytes, reason: str
) -> UnreadableRecord:
    timestamp = max(0, getattr(batch, "max_timestamp", 0))
    record = UnreadableRecord(
        tp.topic, tp.partition, -1, offset, timestamp, 0, None, value, [], None, -1, -1, -1
    )
    record.reason = reason
    return record
