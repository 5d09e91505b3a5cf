"""Parquet files as rows of text, like CSV files. Used by csv_files.py.

A few hundred rows are in memory at a time, so that a season's play-by-play (50,000 rows of 372
columns) needs little of it. pyarrow is imported only for a file that needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MAGIC = b"PAR1"
BATCH_ROWS = 256
MOST_ROWS = 5_000_000  # many times a season's play-by-play
MOST_COLUMNS = 2_000
MOST_BYTES = 2 * 1024**3  # of the whole file, unpacked


class UnreadableParquetError(ValueError):
    """The file is damaged, too large, or has columns that are no table's cells."""


def records(path: Path, is_read: Callable[[str], bool] | None = None) -> Iterator[dict[str, str]]:
    """Yield the columns' names by name, then the cells of each row by column, in file order.

    Only the columns that `is_read` says are decoded; None for all of them.

    Cells read as CSV files of the same publishers have them: whole numbers without a fraction,
    1 and 0 for yes and no, days as 2026-09-10, an empty text for nothing.

    Raises:
        UnreadableParquetError: The file is not a usable Parquet file.
    """
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path, memory_map=False, pre_buffer=False) as file:
            _check_size(file.metadata)
            names = file.schema_arrow.names
            if len(set(names)) != len(names):
                raise UnreadableParquetError("two columns have the same name")
            yield {name: name for name in names}
            columns = [name for name in names if is_read is None or is_read(name)]
            for batch in file.iter_batches(BATCH_ROWS, columns=columns, use_threads=False):
                texts = [_texts(column) for column in batch.columns]
                for cells in zip(*texts, strict=True):
                    yield dict(zip(batch.schema.names, cells, strict=True))
    except (pyarrow.ArrowException, OSError) as error:
        raise UnreadableParquetError(str(error).splitlines()[0][:200]) from error


def _check_size(metadata: Any) -> None:
    unpacked = sum(
        metadata.row_group(place).total_byte_size for place in range(metadata.num_row_groups)
    )
    for number, most, noun in (
        (metadata.num_rows, MOST_ROWS, "rows"),
        (metadata.num_columns, MOST_COLUMNS, "columns"),
        (unpacked, MOST_BYTES, "bytes"),
    ):
        if number > most:
            raise UnreadableParquetError(f"it has more than {most:,} {noun}")


def _texts(column: Any) -> list[str]:
    """The cells of a column of a batch."""
    write = _writer(column.type)
    return ["" if value is None else write(value) for value in column.to_pylist()]


def _writer(kind: Any) -> Callable[[Any], str]:
    from pyarrow import types

    if types.is_boolean(kind):
        return lambda value: "1" if value else "0"
    if types.is_floating(kind):
        return _number_text
    return str


def _number_text(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
