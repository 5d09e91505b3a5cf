"""Every line of the source designs has a test or a decision, and docs/sources.md is current."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.source_designs.catalogue import Line, find_problems, load_lines
from tests.source_designs.document import DOCUMENT, render

LINES = load_lines()
FIRST = LINES[0]


def test_every_line_has_a_test_or_a_decision_that_exists() -> None:
    assert find_problems(LINES) == []


def test_the_document_is_current() -> None:
    assert DOCUMENT.read_text() == render(LINES), "docs/sources.md is old: run `make promises`"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            replace(FIRST, tests=(), decision="", why=""),
            "name a test that shows it, or the decision that says why Pressbox differs",
        ),
        (
            replace(FIRST, tests=("tests/nowhere.py::test_nothing_like_this",)),
            "tests/nowhere.py::test_nothing_like_this: there is no such file and no test of that "
            "name; "
            "name another test that holds this promise",
        ),
        (
            replace(FIRST, decision="9999-nothing.md", why="x"),
            "docs/decisions/9999-nothing.md does not exist",
        ),
        (replace(FIRST, decision="0010-boards.md"), "a decision and its reason belong together"),
    ],
    ids=["neither", "no such test", "no such decision", "no reason"],
)
def test_a_problem_says_what_to_fix(line: Line, problem: str) -> None:
    assert find_problems([line, *LINES[1:]]) == [f"{FIRST.design}, {FIRST.text!r}: {problem}"]


def test_a_line_that_is_left_out_is_a_problem() -> None:
    assert find_problems(LINES[1:]) == [
        "stream has 58 lines, not 59: correct DESIGNS if that is meant"
    ]
