"""What a broker can hold: batches of records with whatever bytes.

Each record is read, or refused at its place.

An input is a batch as Kafka has it; lengths and checksum of its head are set right, as a broker
sees to.
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator

from kafka import TopicPartition
from kafka.record.default_records import DefaultRecordBatchBuilder
from kafka.record.memory_records import MemoryRecords
from kafka.record.util import calc_crc32c

from app.stream.refused_messages import message_of
from app.stream.signing import StreamKeys, key_id_of
from app.stream.tolerant_consumer import UnreadableRecord, _Records, fault_of
from app.stream.topics import GAME_EVENTS

HEADER_BYTES = 61  # of a batch, before its records
MAGIC, CRC, ATTRIBUTES, LAST_DELTA, RECORDS = 16, 17, 21, 23, 57
MOST_RECORDS = 1_000
PLACE = TopicPartition(GAME_EVENTS.name, 0)
KEYS = StreamKeys(["the key of the tests, which is long enough"])


def seeds() -> Iterator[bytes]:
    """Signed and unsigned messages, plain and compressed."""
    for codec in (0, 1):
        builder = DefaultRecordBatchBuilder(2, 0, 0, -1, -1, -1, 1 << 20)
        for number in range(3):
            value = b'{"game_id": "g1"}' * number
            headers = KEYS.headers(PLACE.topic, b"g1", value) if number else [("x", b"\xff")]
            builder.append(number, 1_789_000_000_000, b"g1", value, headers)
        batch = bytearray(builder.build())
        if codec:
            batch[HEADER_BYTES:] = gzip.compress(bytes(batch[HEADER_BYTES:]), mtime=0)
            struct.pack_into(">h", batch, ATTRIBUTES, codec)
        yield bytes(batch)


def one_input(data: bytes) -> None:
    if len(data) < HEADER_BYTES:
        return
    batch = bytearray(data)
    batch[MAGIC] = min(batch[MAGIC], 2)
    if batch[MAGIC] < 2:
        return
    struct.pack_into(">q", batch, 0, 0)  # a broker gives offsets itself, and counts what it takes
    struct.pack_into(">i", batch, 8, len(batch) - 12)
    (last, count) = (
        struct.unpack_from(">i", batch, LAST_DELTA)[0],
        struct.unpack_from(">i", batch, RECORDS)[0],
    )
    struct.pack_into(">i", batch, LAST_DELTA, abs(last) % MOST_RECORDS)
    struct.pack_into(">i", batch, RECORDS, abs(count) % MOST_RECORDS)
    struct.pack_into(">I", batch, CRC, calc_crc32c(memoryview(batch)[ATTRIBUTES:]))
    records = list(_Records._unpack_records(_Reading(), PLACE, MemoryRecords(bytes(batch))))
    before = -1
    for record in records:
        assert before < record.offset <= abs(last) % MOST_RECORDS, "an offset outside of the batch"
        before = record.offset
        reason = fault_of(KEYS, record)
        assert reason is None or reason, "refused without a reason"
        assert not isinstance(record, UnreadableRecord) or reason
        key_id_of(record.headers)
        message = message_of(record)
        assert type(message).from_json(message.to_json()) == message


class _Reading:
    """What the consumer keeps of one fetch, as far as reading it needs."""

    leader_epoch = -1
    next_fetch_offset = 0
    records_read = 0

    def drain(self) -> None:
        self.next_fetch_offset = 0
