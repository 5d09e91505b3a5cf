"""Tables in files, row by row, with errors that name file, line, column and remedy.

Opens CSV files, plain or gzip, and Parquet files, by what they contain and not by their names.
Cells are read as text, numbers or flags. The callers interpret the columns. Writing is in
csv_writing.py.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from datetime import time
from itertools import compress
from pathlib import Path

from app.core import parquet_files
from app.core.errors import UserError

_MISSING = frozenset(("", "NA", "NaN", "nan", "None", "NULL", "null"))
_TRUE = frozenset(("1", "1.0", "TRUE", "True", "true", "T"))
_FALSE = frozenset(("0", "0.0", "FALSE", "False", "false", "F"))
_GZIP = b"\x1f\x8b"
_LONGEST_MAGIC = 4
_OTHER_SEPARATORS = {";": "semicolons (;)", "\t": "tabs", "|": "vertical bars (|)"}
LONGEST_LINE = 1024 * 1024  # characters per line; a cell may have 131,072 (csv's own limit)
# of a whole file, unpacked: several times the size of all seasons so far
MOST_CHARACTERS = 2 * 1024**3
LARGEST_NUMBER = 2**31 - 1
FIRST_SEASON, LAST_SEASON = 1869, 2200  # the first college game was in 1869
_NOON = 12
_TIME = re.compile(
    r"\b(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::\d\d)?\s*(?P<half>[AP]\.?M\b)?", re.IGNORECASE
)
LONGEST_QUOTE = 300  # characters of a cell that an error repeats


class FileError(UserError, ValueError):
    """The file cannot be read; the text says where it fails and what to do."""


class Row:
    """One line of a file. A missing cell or column is None everywhere."""

    __slots__ = ("_cells", "file", "line")

    def __init__(self, cells: dict[str, str], file: Path, line: int) -> None:
        self._cells = cells
        self.file = file
        self.line = line

    def __contains__(self, column: str) -> bool:
        return column in self._cells

    def cells(self) -> Iterator[tuple[str, str]]:
        """Yield column and text of each cell that is not empty."""
        for column, cell in self._cells.items():
            text = cell.strip()
            if text not in _MISSING:
                yield column, text

    def text(self, *columns: str) -> str | None:
        """Return the first of these columns that is not empty."""
        for column in columns:
            cell = self._cells.get(column, "").strip()
            if cell not in _MISSING:
                return cell
        return None

    def needed(self, *columns: str) -> str:
        """Return the first of these columns that is not empty.

        Raises:
            FileError: All of them are empty.
        """
        cell = self.text(*columns)
        if cell is None:
            raise self.error(columns[0], "is empty, but every row needs it")
        return cell

    def season(self, *columns: str) -> int | None:
        """Return the year in which a season begins."""
        season = self.number(*columns)
        if season is not None and not FIRST_SEASON <= season <= LAST_SEASON:
            raise self.error(
                columns[0], f"must be a year from {FIRST_SEASON} to {LAST_SEASON}, not {season}"
            )
        return season

    def number(self, *columns: str) -> int | None:
        """Return a whole number; `12.0` is one, `12.7` is refused."""
        cell = self.text(*columns)
        if cell is None:
            return None
        try:
            # float() accepts digits grouped by underscores (1_000), which no spreadsheet writes.
            exact = float(cell.replace("_", "?"))
            number = int(exact)
        except (ValueError, OverflowError) as error:
            raise self.error(columns[0], f"must be a number, not {cell!r}") from error
        if number != exact:
            raise self.error(columns[0], f"must be a whole number, not {cell!r}")
        if abs(number) > LARGEST_NUMBER:
            raise self.error(columns[0], f"must be a number up to {LARGEST_NUMBER:,}, not {cell!r}")
        return number

    def time_of_day(self, *columns: str) -> time | None:
        """Return a time like 20:20, 8:20 PM or `9/28/09, 20:20:41`; None for TBD, or if empty."""
        cell = self.text(*columns)
        if cell is None or cell.upper() == "TBD":
            return None
        printed = _TIME.search(cell)
        half = (printed["half"] or "")[:1].upper() if printed else ""
        if printed and (not half or 1 <= int(printed["hour"]) <= _NOON):
            hour = int(printed["hour"])
            if half:
                hour = hour % _NOON + _NOON * (half == "P")
            try:
                return time(hour, int(printed["minute"]))
            except ValueError:
                pass
        raise self.error(
            columns[0], f"is {_short(cell)!r}; it should be a time like 20:20 or 8:20 PM"
        )

    def flag(self, *columns: str) -> bool:
        """Return whether the cell says yes (1, 1.0, TRUE); a missing one means no."""
        cell = self.text(*columns)
        if cell is None or cell in _FALSE:
            return False
        if cell in _TRUE:
            return True
        raise self.error(columns[0], f"must be 0 or 1, not {cell!r}")

    def only(self, columns: Sequence[str], **cells: str) -> Row:
        """Return a row that keeps only `columns` and sets or replaces `cells`."""
        cells_kept = {column: self._cells[column] for column in columns if column in self._cells}
        return Row(cells_kept | cells, self.file, self.line)

    def pairs(self, first_ending: str, second_ending: str) -> Iterator[tuple[str, str]]:
        """Yield pairs of non-empty cells whose columns begin alike and have these two endings."""
        for column in self._cells:
            if column.endswith(first_ending):
                first, second = (
                    self.text(column),
                    self.text(column.removesuffix(first_ending) + second_ending),
                )
                if first and second:
                    yield first, second

    def error(self, column: str, what: str) -> FileError:
        """Return an error that names file, line and column."""
        where = f"{self.file}, line {self.line}, column {column[:LONGEST_QUOTE]}"
        return FileError(f"{where}: {_short(what)}; correct the cell or download the file again")


class _UnusableLineError(Exception):
    """A line that cannot be part of a CSV file."""


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    """Yield the lines, reading at most LONGEST_LINE characters of each into memory."""
    characters = 0
    while line := text.readline(LONGEST_LINE):
        characters += len(line)
        if len(line) == LONGEST_LINE:
            raise _UnusableLineError(f"a line is longer than {LONGEST_LINE:,} characters")
        if characters > MOST_CHARACTERS:
            raise _UnusableLineError(f"it has more than {MOST_CHARACTERS:,} characters")
        if "\x00" in line:
            raise _UnusableLineError("it holds the character U+0000")
        yield line


def _other_separator(header: Sequence[str]) -> str | None:
    """Name the separator that the header really uses; None if it is the comma."""
    whole = ",".join(header)
    return next(
        (word for sign, word in _OTHER_SEPARATORS.items() if whole.count(sign) >= len(header)), None
    )


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."


def read_rows(
    path: Path,
    columns: Sequence[str],
    what: str,
    remedy: str = "give a csv, csv.gz or parquet file in nflscrapR or nflverse format",
    *,
    is_read: Callable[[str], bool] | None = None,
) -> Iterator[Row]:
    """Yield the rows of a csv, csv.gz or parquet file, in file order.

    Args:
        path: The file.
        columns: Columns that must be there, alternatives separated by `|`.
        what: What the file should be, for errors.
        remedy: What to do if it is not, for errors.
        is_read: Whether the cells of a column are read; None for all columns.

    Raises:
        FileError: The file cannot be read.
    """
    for line, cells in _records(path, what, is_read):
        if line == 1:
            for alternatives in columns:
                if not any(name in cells for name in alternatives.split("|")):
                    raise FileError(
                        f"{path}, line 1, column {alternatives.split('|')[0]}: the header has no "
                        "such column, so this "
                        f"is not {what}; {remedy}"
                    )
            continue
        yield Row(cells, path, line)


def read_columns(path: Path, what: str) -> tuple[str, ...]:
    """Return the names of a file's columns, in file order.

    Args:
        path: A csv, csv.gz or parquet file.
        what: What the file should be, for errors.

    Raises:
        FileError: The file cannot be read.
    """
    with closing(_records(path, what, None)) as records:
        _, header = next(records)
    return tuple(header)


IsRead = Callable[[str], bool] | None


def _records(path: Path, what: str, is_read: IsRead) -> Generator[tuple[int, dict[str, str]]]:
    """Yield line numbers and cells by column. The first record maps each column to its name."""
    try:
        with path.open("rb") as raw:
            magic = raw.read(_LONGEST_MAGIC)
    except OSError as error:
        raise FileError(
            f"{path}, line 1: cannot be read ({error.strerror}); give the path of {what}"
        ) from error
    if magic == parquet_files.MAGIC:
        yield from _parquet_records(path, what, is_read)
    else:
        yield from _csv_records(path, what, is_read, zipped=magic.startswith(_GZIP))


def _parquet_records(
    path: Path, what: str, is_read: IsRead
) -> Iterator[tuple[int, dict[str, str]]]:
    """As _records; the line of a row is its place among the rows, after the columns' names."""
    try:
        yield from enumerate(parquet_files.records(path, is_read), start=1)
    except parquet_files.UnreadableParquetError as error:
        raise FileError(
            f"{path}: this is not {what} as Parquet ({error}); download the file again"
        ) from error


def _csv_records(
    path: Path, what: str, is_read: IsRead, *, zipped: bool
) -> Iterator[tuple[int, dict[str, str]]]:
    line = 1
    try:
        with (
            gzip.open(path) if zipped else path.open("rb") as binary,
            io.TextIOWrapper(binary, "utf-8-sig", newline="") as text,
        ):
            reader = csv.reader(_lines(text), strict=True)
            header = next(reader, None)
            if not header:
                raise FileError(f"{path}, line 1: the file is empty; give {what}")
            if header[0].lstrip().startswith("<"):
                raise FileError(
                    f"{path}, line 1: this is a web page or XML, not {what}; check the address, "
                    "and download the file again"
                )
            if separator := _other_separator(header):
                raise FileError(
                    f"{path}, line 1: the columns are separated by {separator}, not by commas; "
                    "save the file as "
                    '"CSV UTF-8 (comma delimited)", or replace the separators'
                )
            are_read = [is_read is None or is_read(name) for name in header]
            columns = list(compress(header, are_read))
            yield 1, {name: name for name in header}
            for cells in reader:
                line = reader.line_num
                if not cells:
                    continue
                if len(cells) != len(header):
                    raise FileError(
                        f"{path}, line {line}, column {min(len(cells), len(header))}: {len(cells)} "
                        "cells, but the "
                        f"header has {len(header)} columns; the file was cut or changed, download "
                        "it again"
                    )
                yield line, dict(zip(columns, compress(cells, are_read), strict=True))
    except OSError as error:  # also a broken gzip stream
        reason = error.strerror or str(error)
        raise FileError(
            f"{path}, line {line}: cannot be read ({reason}); give the path of {what}"
        ) from error
    except (UnicodeDecodeError, csv.Error, _UnusableLineError, EOFError, zlib.error) as error:
        raise FileError(
            f"{path}, line {line}: this is not {what} as text ({error}); give a csv or csv.gz "
            "file, "
            "downloaded again if it was cut"
        ) from error
