"""Writes a closed board as the two Parquet objects that archived_board.py reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from app.boards import ranking
from app.boards.archive.archived_board import ORDER, ORDERED, PLAYERS, TIES
from app.boards.order import Order, row_of
from app.boards.ranking import Place
from app.boards.rules import Ties

GROUP = 16_384  # rows per row group
_ID = pa.binary(16)

ORDER_SCHEMA = pa.schema(
    [
        pa.field("rank", pa.int64(), nullable=False),
        pa.field("player_id", _ID, nullable=False),
        pa.field("score", pa.int64(), nullable=False),
        pa.field("tie", pa.int64(), nullable=False),
        pa.field("at", pa.int64(), nullable=False),
        pa.field("event_id", _ID, nullable=False),
        pa.field("better", pa.int64(), nullable=False),
        pa.field("distinct", pa.int64(), nullable=False),
    ]
)
PLAYERS_SCHEMA = pa.schema(
    [pa.field("player_id", _ID, nullable=False), pa.field("position", pa.int64(), nullable=False)]
)


def write(folder: str, ties: Ties, order: Order, rows: Iterable[Any]) -> dict[str, str]:
    """Write both objects into the folder and return their paths by name.

    Args:
        folder: Where the objects go.
        ties: The board's tie rule.
        order: The board's order of records.
        rows: Rows of player_id, score, tie, at and event_id in the board's order.
    """
    paths = {name: str(Path(folder) / name) for name in (ORDER, PLAYERS)}
    players: list[bytes] = []
    about = {TIES: ties.value.encode(), ORDERED: json.dumps(row_of(order)).encode()}
    with _writer(paths[ORDER], ORDER_SCHEMA.with_metadata(about)) as file:
        for group in _placed(ties, rows):
            players += (row["player_id"] for row in group)
            file.write_table(pa.Table.from_pylist(group, schema=file.schema), row_group_size=GROUP)
    # sorted here, because pyarrow.compute takes megabytes for as long as the process lives
    positions = sorted(range(len(players)), key=players.__getitem__)
    with _writer(paths[PLAYERS], PLAYERS_SCHEMA) as file:
        columns = [
            pa.array([players[position] for position in positions], _ID),
            pa.array(positions, pa.int64()),
        ]
        if players:  # an empty row group would have no bounds
            file.write_table(
                pa.Table.from_arrays(columns, schema=PLAYERS_SCHEMA), row_group_size=GROUP
            )
    return paths


def _writer(path: str, schema: pa.Schema) -> parquet.ParquetWriter:
    return parquet.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True)


def _placed(ties: Ties, rows: Iterable[Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of the object, one row group at a time."""
    iterator, place, score = iter(rows), Place(0, 0, 0), None
    while chunk := list(islice(iterator, GROUP)):
        group = []
        for row in chunk:
            if score is not None and row.score != score:
                place = Place(place.before, place.before, place.distinct + 1)
            score = row.score
            group.append(
                {
                    "rank": ranking.rank(ties, place),
                    "player_id": row.player_id.bytes,
                    "score": row.score,
                    "tie": row.tie,
                    "at": row.at,
                    "event_id": row.event_id.bytes,
                    "better": place.better,
                    "distinct": place.distinct,
                }
            )
            place = place._replace(before=place.before + 1)
        yield group
