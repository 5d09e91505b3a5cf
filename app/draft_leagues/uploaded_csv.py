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

from app.core.numbers import MAX_WHOLE, typed_decimal, typed_whole
from app.core.refusals import Refusal

MOST_ROWS = 5_000
LONGEST_CELL = 200  # characters; what is longer is cut, and is neither a name nor a number
SEPARATORS = (",", ";", "\t")
GROUP = 3  # digits of a group of thousands
_GROUPED = r"[^\d.,]*[1-9]\d{{0,2}}({group}\d{{3}})+({decimal}\d+)?"
_MISSING = frozenset(("", "-", "NA", "N/A", "null", "None"))


class UnreadableNumberError(ValueError):
    """A cell holds no number. The text of the error names the line and says what to write."""


@dataclass(frozen=True)
class UploadedRow:
    """A row of a table.

    Attributes:
        line: Its number in the file.
        cells: By the column's plain name.
        separator: What separates the cells of the file.
        file: Its name, if there are several.
    """

    line: int
    cells: Mapping[str, str]
    separator: str = ","
    file: str = ""

    @property
    def place(self) -> str:
        """Where the row stands, as a refusal begins."""
        return f"{self.file}, line {self.line}" if self.file else f"Line {self.line}"

    def text(self, *columns: str) -> str:
        """The first of these columns that is not empty; '' if all are."""
        return next((self.cells[name] for name in columns if self.cells.get(name)), "")

    def whole(self, *columns: str, most: int = MAX_WHOLE) -> int | None:
        """The whole number in the first of these columns that is not empty; None if all are.

        Raises:
            UnreadableNumberError: It holds something else.
        """
        text = self.text(*columns)
        if not text:
            return None
        number = typed_whole(text, most=most)
        if number is None:
            raise UnreadableNumberError(
                f"{self.place}: “{text[:20]}” is not a whole number from 0 to {most:,}. "
                "Write it like 12."
            )
        return number

    def thousandths(self, *columns: str) -> int | None:
        """The number in the first of these columns that is not empty, times 1000; None if all are.

        Raises:
            UnreadableNumberError: It holds no number, or one that can be read in two ways.
        """
        text = self.text(*columns)
        if not text:
            return None
        number = typed_decimal(_with_point(text, self.separator), 1_000_000, mark=".")
        if number is None:
            raise UnreadableNumberError(
                f"{self.place}: “{text[:20]}” is not a number. Write it like 1090.5."
            )
        return round(number / 1000)


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
    separator = _separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
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
            rows.append(UploadedRow(reader.line_num, _cells(header, cells), separator))
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


def _with_point(text: str, separator: str) -> str:
    """A number with a decimal point and without groups of thousands; '' if it has two meanings.

    A comma or a point before exactly three digits groups thousands or begins the decimals. In a
    file whose cells are separated by commas, the point begins the decimals, as English programs
    write it; other files come from programs of either kind.

    >>> [_with_point(text, ";") for text in ("90,5", "1.090,5", "90.5", "1.090", "1,234,567")]
    ['90.5', '1090.5', '90.5', '', '1234567']
    >>> [_with_point(text, ",") for text in ("1,090.5", "1,090", "90.125", "90,5", "1,09,0")]
    ['1090.5', '1090', '90.125', '90.5', '']
    """
    if re.fullmatch(_GROUPED.format(group=",", decimal=r"\."), text):
        is_certain = "." in text or text.count(",") > 1 or separator == ","
        if is_certain:
            return text.replace(",", "")
    if re.fullmatch(_GROUPED.format(group=r"\.", decimal=","), text):
        is_certain = "," in text or text.count(".") > 1
        if is_certain:
            return text.replace(".", "").replace(",", ".")
    decimal = re.fullmatch(r"([^.,]*)[.,](\d+)", text)
    if decimal is None:
        return "" if "." in text or "," in text else text
    if len(decimal[2]) == GROUP and separator != ",":
        return ""
    return f"{decimal[1]}.{decimal[2]}"
