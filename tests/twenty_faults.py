"""The twenty faults that Pressbox must come through, and the table of the tests that show it.

A test says by `@pytest.mark.fault(7)` which one it shows. `make test` runs those that need one
machine, `make test-cluster` the others; it prints the table, and `--record-faults` writes it into
docs/reliability.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.promises.sources import tests_with_fault_markers

DOCUMENT = Path(__file__).parent.parent / "docs" / "reliability.md"
BEGIN, END = "<!-- faults -->\n", "<!-- /faults -->"
PROPERTY = "fault"
COLUMNS = (
    "fault",
    "shown by",
    "tried",
    "acknowledged",
    "lost",
    "doubled",
    "longest wait",
    "recovered after",
)

TWENTY = {
    1: "A broker killed, again and again, while plays are entered",
    2: "No broker when a console starts",
    3: "Every event delivered three times",
    4: "A topic replayed from its first message",
    5: "Corrections before the events that they correct",
    6: "A correction of a correction",
    7: "A nullify that comes twice, and after the final score",
    8: "A review upheld, or overturned, in both orders of arrival",
    9: "Two consoles on one game; a zombie",
    10: "A worker killed at every step of a batch",
    11: "A poison message",
    12: "A dead letter replayed twice, after a newer correction",
    13: "A settlement that is tried again, becomes a dead letter and is replayed",
    14: "A provider that answers 500, stale, another result, or the teams reversed",
    15: "Redis lost, with wrong data, evicting",
    16: "PostgreSQL restarted in mid-transaction",
    17: "PostgreSQL read only; a full disk",
    18: "Clocks that change, the ends of windows, a score on either side",
    19: "A ban while a window ends, lifted after it",
    20: "A storm of saves at the deadline on a slow database",
}


def mark(items: Iterable[pytest.Item]) -> None:
    """Gives each test that shows a fault a row of the table.

    One that measures more gives its own.
    """
    for item in items:
        for rows in item.iter_markers("fault"):
            (number,) = rows.args
            assert number in TWENTY, (
                f"{item.nodeid}: there are twenty faults, {number} is none of them"
            )
            name = item.name.partition("[")[0]
            item.user_properties.append(
                (PROPERTY, row(number, f"{item.nodeid.partition('::')[0]}: {name}"))
            )


def row(number: int, shown_by: str, *figures: object) -> str:
    """`figures` as COLUMNS has them behind the test."""
    cells = [f"{number}. {TWENTY[number]}", shown_by, *(str(figure) for figure in figures)]
    return "| " + " | ".join([*cells, *[""] * (len(COLUMNS) - len(cells))]) + " |"


def rows_of_ordinary_tests() -> list[str]:
    """Return a row for each test outside tests/cluster that shows a fault.

    `make test` runs them.
    """
    return [
        row(number, f"{file}: {name}")
        for test, number in tests_with_fault_markers()
        for file, _, name in [test.partition("::")]
        if not file.startswith("tests/cluster/")
    ]


def table(rows: Iterable[str]) -> str:
    """Markdown, by the number of the fault.

    Equal rows, of one test with several values, are one.
    """
    head = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"
    return head + "".join(
        f"{row}\n" for row in sorted(set(rows), key=lambda row: (_number(row), row))
    )


def missing(rows: Iterable[str]) -> list[int]:
    """The faults that no row shows."""
    return sorted(set(TWENTY) - {_number(row) for row in rows})


def record(rows: Iterable[str]) -> None:
    """Writes the table into the document, between its marks."""
    text = DOCUMENT.read_text()
    before, _, columns = text.partition(BEGIN)
    _, _, after = columns.partition(END)
    DOCUMENT.write_text(f"{before}{BEGIN}{table(rows)}{END}{after}")


def _number(row: str) -> int:
    return int(row.removeprefix("| ").partition(".")[0])
