"""One archived object: a game's messages of a UTC day as Parquet, with count and hash.

Columns: topic, partition, offset, key, timestamp, payload; rows in order of event number. Count and
hash are in the Parquet metadata, so an archive can be read without a database. pyarrow is large, so
it is imported with the first segment, not by the hourly check for old messages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from app.stream.topic_reader import StoredMessage

if TYPE_CHECKING:
    import pyarrow as pa

_COUNT, _SHA256 = b"pressbox.count", b"pressbox.sha256"


class BrokenSegmentError(Exception):
    """The object is not what was written; the text says how."""


def schema() -> pa.Schema:
    """The columns of a segment."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("topic", pa.string(), nullable=False),
            pa.field("partition", pa.int32(), nullable=False),
            pa.field("offset", pa.int64(), nullable=False),
            pa.field("key", pa.binary()),
            pa.field("timestamp", pa.timestamp("ms", tz="UTC"), nullable=False),
            pa.field("payload", pa.binary(), nullable=False),
        ]
    )


def digest(payloads: Iterable[bytes]) -> str:
    """Return the hex SHA-256 of the payloads, each preceded by its length as 8 big-endian bytes."""
    hasher = hashlib.sha256()
    for payload in payloads:
        hasher.update(len(payload).to_bytes(8, "big"))
        hasher.update(payload)
    return hasher.hexdigest()


def encode(messages: Sequence[StoredMessage]) -> bytes:
    """Encode the messages as Parquet, in the given order."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.Table.from_pydict(
        {
            "topic": [m.topic for m in messages],
            "partition": [m.partition for m in messages],
            "offset": [m.offset for m in messages],
            "key": [m.key for m in messages],
            "timestamp": [m.timestamp for m in messages],
            "payload": [m.value for m in messages],
        },
        schema=schema().with_metadata(
            {
                _COUNT: str(len(messages)).encode(),
                _SHA256: digest(m.value for m in messages).encode(),
            }
        ),
    )
    sink = pa.BufferOutputStream()
    # The hash covers the payloads; the page checksums cover offsets, keys and times as well.
    parquet.write_table(table, sink, compression="zstd", write_page_checksum=True)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def decode(
    data: bytes, *, count: int | None = None, sha256: str | None = None
) -> list[StoredMessage]:
    """Decode the messages, and check them against `count` and `sha256` or the object's metadata.

    Raises BrokenSegmentError.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(pa.BufferReader(data), page_checksum_verification=True)
        rows = table.to_pydict()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise BrokenSegmentError(
            f"it cannot be read as Parquet ({str(error).splitlines()[0]})"
        ) from error
    metadata = table.schema.metadata or {}
    if not table.schema.remove_metadata().equals(schema()):
        raise BrokenSegmentError("its columns are not those of an archived segment")
    expected_count = (
        str(count).encode() if count is not None else metadata.get(_COUNT, b"an unknown number")
    )
    expected_sha256 = sha256.encode() if sha256 is not None else metadata.get(_SHA256)
    if str(table.num_rows).encode() != expected_count:
        raise BrokenSegmentError(
            f"it holds {table.num_rows} messages instead of "
            f"{expected_count.decode(errors='replace')}"
        )
    if digest(rows["payload"]).encode() != expected_sha256:
        raise BrokenSegmentError("the hash of its payloads is not the one that was noted")
    times = table.column("timestamp").cast(pa.int64()).to_pylist()
    return [
        StoredMessage(topic, partition, offset, key, timestamp, payload)
        for topic, partition, offset, key, timestamp, payload in zip(
            rows["topic"],
            rows["partition"],
            rows["offset"],
            rows["key"],
            times,
            rows["payload"],
            strict=True,
        )
    ]
