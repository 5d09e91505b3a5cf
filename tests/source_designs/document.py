"""docs/sources.md: a table per section of each design."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from tests.promises.sources import ROOT
from tests.source_designs.catalogue import DESIGNS, Line

DOCUMENT = ROOT / "docs" / "sources.md"
HEAD = """\
# The source designs, line by line

Pressbox follows five public system designs. Each of their requirements, contracts, fields, keys,
figures and failure cases is one line here, with the tests that show it, or with the decision that
says why Pressbox differs.

`make promises` writes this file from `tests/source_designs/lines/`; do not edit it by hand. The
target fails if a line has neither a test nor a decision, or names one that does not exist.
"""


def render(lines: Iterable[Line]) -> str:
    """Return the document; `lines` come design by design, section by section."""
    parts = [HEAD]
    for design, lines_of_design in groupby(lines, key=lambda line: line.design):
        parts.append(f"\n## {DESIGNS[design][0]}\n")
        for section, lines_of_section in groupby(lines_of_design, key=lambda line: line.section):
            parts.append(
                f"\n### {section}\n\n| line | shown by, or why Pressbox differs |\n|---|---|\n"
            )
            parts.extend(f"| {_cell(line.text)} | {_answer(line)} |\n" for line in lines_of_section)
    return "".join(parts)


def _answer(line: Line) -> str:
    answers = [f"`{test}`" for test in line.tests]
    if line.decision:
        answers.append(
            f"{_cell(line.why)} ([decision {int(line.decision[:4])}](decisions/{line.decision}))"
        )
    return "<br>".join(answers)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
