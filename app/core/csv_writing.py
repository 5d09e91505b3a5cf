"""The only writer of CSV: comma-separated, with cells that no spreadsheet runs as a formula.

Reading is in csv_files.py.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

BYTE_ORDER_MARK = "\ufeff"  # without it Excel assumes the machine's encoding
# Spreadsheets treat a cell that begins with one of these as a formula. The last four are the
# full-width forms of East Asian input methods.
_TRIGGERS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
# Places where a program may see the start of a cell: at the beginning, after a line break, and
# after the separators that other locales use.
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
