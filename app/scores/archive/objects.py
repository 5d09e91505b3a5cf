"""One archived month: its attempts as a Parquet object, sorted by player, mode, time and event.

The columns are those of `score_attempts`; ids are 16 bytes, JSON is kept as text. A player's
attempts lie next to each other, so reading them takes the row groups whose bounds contain the
player, not the object. Page checksums are verified. Import it late: pyarrow is large.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any
from uuid import UUID

import pyarrow as pa
from pyarrow import parquet

from app.core.blob_store import BlobStore

GROUP = 8_192  # rows per row group
_ID = pa.binary(16)
_TIME = pa.timestamp("us", tz="UTC")

SCHEMA = pa.schema(
    [
        pa.field("event_id", _ID, nullable=False),
        pa.field("attempt_id", _ID, nullable=False),
        pa.field("player_id", _ID, nullable=False),
        pa.field("mode_id", _ID, nullable=False),
        pa.field("score", pa.int64(), nullable=False),
        pa.field("subscore", pa.int64()),
        pa.field("achieved_at", _TIME, nullable=False),
        pa.field("fraud_state", pa.string(), nullable=False),
        pa.field("fraud_reasons", pa.list_(pa.string()), nullable=False),
        pa.field("rolled_back_at", _TIME),
        pa.field("rollback_id", _ID),
        pa.field("score_metadata", pa.string()),
        pa.field("client_meta", pa.string(), nullable=False),
        pa.field("device", pa.string()),
        pa.field("address", pa.string()),
        pa.field("replay", pa.string()),
        pa.field("rechecked_at", _TIME),
        pa.field("kafka_partition", pa.int32()),
        pa.field("kafka_offset", pa.int64()),
        pa.field("ingested_at", _TIME, nullable=False),
        pa.field("session_id", pa.string()),
    ]
)
ORDER = ("player_id", "mode_id", "achieved_at", "event_id")
_IDS = frozenset(field.name for field in SCHEMA if field.type == _ID)

Attempt = dict[str, Any]  # an attempt by column; ids are UUIDs


def write(path: str, attempts: Iterable[Attempt]) -> int:
    """Write the attempts, which come in ORDER, to a local file; return how many there were."""
    count, attempts = 0, iter(attempts)
    with parquet.ParquetWriter(
        path, SCHEMA, compression="zstd", write_page_checksum=True
    ) as written:
        while chunk := list(islice(attempts, GROUP)):
            rows = [
                {
                    name: value.bytes if name in _IDS and value is not None else value
                    for name, value in attempt.items()
                }
                for attempt in chunk
            ]
            written.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), row_group_size=GROUP)
            count += len(rows)
    return count


class ArchivedMonthObject:
    """The attempts of an archived month; each read fetches only the row groups that it needs.

    Raises BlobNotFoundError, BlobStoreError, OSError for a broken object.
    """

    def __init__(self, store: BlobStore, blob: str) -> None:
        self._file = parquet.ParquetFile(store.open(blob), page_checksum_verification=True)

    def groups(self) -> Iterator[list[Attempt]]:
        """Yield all attempts, one row group at a time."""
        for number in range(self._file.num_row_groups):
            yield self._group(number)

    def of_players(self, players: Collection[UUID]) -> Iterator[Attempt]:
        """Yield the attempts of these players, in ORDER."""
        ids = sorted(player.bytes for player in players)
        column = SCHEMA.get_field_index("player_id")
        for number in range(self._file.num_row_groups):
            bounds = self._file.metadata.row_group(number).column(column).statistics
            if bisect_left(ids, bytes(bounds.min)) < bisect_right(ids, bytes(bounds.max)):
                yield from (row for row in self._group(number) if row["player_id"] in players)

    def _group(self, number: int) -> list[Attempt]:
        rows: Sequence[dict[str, Any]] = self._file.read_row_group(number).to_pylist()
        return [
            {
                name: UUID(bytes=value) if name in _IDS and value is not None else value
                for name, value in row.items()
            }
            for row in rows
        ]
