"""Reads small CSV tables that members upload, from many programs. Pure.

Columns are found by any of their usual names, in any case. The record's large files are read by
app/core/csv_files.py.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.refusals import Refusal

MOST_ROWS = 5_000
LONGEST_CELL = 200  # characters; what is longer is cut, and is neither a name nor a number
SEPARATORS = (",", ";", "\t")
_MISSING = frozenset(("", "-", "NA", "N/A", "null", "None"))


@dataclass(frozen=True)
class UploadedRow:
    """A row of a table. `line`: its number in the file; `cells`: by the column's plain name."""

    line: int
    cells: Mapping[str, str]

    def text(self, *columns: str) -> str:
        """The first of these columns that is not empty; '' if all are."""
        return next((self.cells[name] for name in columns if self.cells.get(name)), "")

    def number(self, *columns: str) -> float | None:
        """The number in the first of these columns that is not empty; None without a number."""
        text = self.text(*columns).replace(",", "").lstrip("+")
        return float(text) if re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", text) else None


def plain_column(name: str) -> str:
    """A column's name without case, spaces and marks.

    >>> plain_column(" Bye Week"), plain_column("PROJ. FPTS"), plain_column("#")
    ('byeweek', 'projfpts', '#')
    """
    return re.sub(r"[^a-z0-9#]", "", name.casefold())


def read_table(
    data: bytes, field: str, headerless: Sequence[str] = (), headers: frozenset[str] = frozenset()
) -> list[UploadedRow] | Refusal:
    """The rows of an uploaded table, or why it cannot be read.

    Args:
        data: The file.
        field: The field of the form, for a refusal.
        headerless: The columns of a file without a header; empty if a header is needed.
        headers: Names of columns, plain; a first line with any of them is a header.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")  # as Excel saves "CSV"
    if not text.strip() or "\x00" in text:
        return Refusal("file", field, "This is not a CSV file. Export the table as CSV.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))
    rows: list[UploadedRow] = []
    header: Sequence[str] = ()
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                plain = [plain_column(cell) for cell in cells]
                if not headerless or not headers.isdisjoint(plain):
                    header = plain
                    continue
                header = headerless
            if len(rows) == MOST_ROWS:
                return Refusal(
                    "rows", field, f"The file has more than {MOST_ROWS:,} rows. Upload fewer."
                )
            rows.append(UploadedRow(reader.line_num, _cells(header, cells)))
    except csv.Error as error:
        return Refusal("file", field, f"Line {reader.line_num} is not CSV ({error}). Export again.")
    return rows or Refusal("rows", field, "The file has no rows. Export the table again.")


def _separator(text: str) -> str:
    first = text.lstrip().partition("\n")[0]
    return max(SEPARATORS, key=first.count)


def _cells(header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    stripped = (cell[:LONGEST_CELL].strip().lstrip("'") for cell in cells)
    return {
        name: "" if cell in _MISSING else cell
        for name, cell in zip(header, stripped, strict=False)
        if name
    }
