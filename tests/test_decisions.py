"""Every decision follows the template and stands in the index (docs/decisions/README.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DECISIONS = Path(__file__).parent.parent / "docs/decisions"
FILES = sorted(DECISIONS.glob("[0-9]*.md"))
SECTIONS = ["Context", "Decision", "Consequences", "Status"]
STATUS = re.compile(
    r"Accepted, \d{4}-\d\d-\d\d\."
    r"|Replaced (?:in part )?by \[decision \d+\]\(\d{4}-[a-z0-9-]+\.md\)"
)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_decision_has_context_decision_consequences_and_status(file: Path) -> None:
    text = file.read_text()

    assert text.startswith(f"# {file.name[:4]}: ")
    headings = re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE)
    assert [heading for heading in headings if heading in SECTIONS] == SECTIONS
    assert STATUS.match(text.split("**Status.** ")[1]), "accepted on a date, or replaced by another"


def test_the_index_lists_every_decision_once_with_its_title_and_status() -> None:
    index = (DECISIONS / "README.md").read_text().splitlines()
    rows = [line for line in index if line.startswith("| [")]

    assert sorted(rows) == [_row(file) for file in FILES]


def _row(file: Path) -> str:
    title, _, text = file.read_text().partition("\n")
    status = STATUS.match(text.split("**Status.** ")[1])
    assert status, file
    words = status[0].rstrip(".")
    return (
        f"| [{file.name[:4]}]({file.name}) | {title.split(': ', 1)[1]} |"
        f" {words[0].lower()}{words[1:]} |"
    )
