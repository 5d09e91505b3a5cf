"""The only writer of CSV: comma-separated, with values that no spreadsheet takes for a formula.

Quotes and guards cells. Reading is in csv_files.py.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

BYTE_ORDER_MARK = "\ufeff"  # without it Excel reads UTF-8 as the encoding of the machine
# A spreadsheet takes a cell that begins with one of these for a formula; the wide forms are those
# of East Asian input.
_TRIGGERS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
# Where a reader may see a cell begin: at the start, after a line break, and after the separators of
# other countries.
_CELL_START = re.compile(rf"(^|[;\t\r\n])([ \"]*)(?=[{_TRIGGERS}])")
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


def csv_text(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, for_excel: bool = False
) -> str:
    """Return a header and rows as CSV, each line ended by a line feed.

    Args:
        columns: The header.
        rows: Cells in the order of the columns.
        for_excel: Whether to begin with a byte order mark, which Excel needs.
    """
    return (BYTE_ORDER_MARK if for_excel else "") + csv_lines([columns, *rows])


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Return rows without a header, for a file that is written piece by piece."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([guarded(cell) for cell in row] for row in rows)
    return out.getvalue()


def guarded(cell: object) -> object:
    """Return the cell with a quote before anything that a spreadsheet could run as a formula.

    Numbers stay numbers.

    >>> guarded("=1+1"), guarded("Nova;=1+1"), guarded("-12.5"), guarded("2-1")
    ("'=1+1", "Nova;'=1+1", '-12.5', '2-1')
    """
    if not isinstance(cell, str) or _NUMBER.fullmatch(cell):
        return cell
    return _CELL_START.sub(r"\1'\2", cell)
