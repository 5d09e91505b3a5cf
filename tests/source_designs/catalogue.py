"""The lines of the source designs in lines/*.toml.

Each is shown by tests, or a decision says why Pressbox differs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.promises.sources import ROOT, explain_missing

LINES = Path(__file__).parent / "lines"
DECISIONS = ROOT / "docs" / "decisions"
# Lines per design, in the order of the document. A line that is dropped by accident changes a
# count.
DESIGNS = {
    "stream": ("The scorer's box and the official record", 59),
    "fantasy": ("Gamers, team sheets, footballers, leagues", 25),
    "predictions": ("Tournaments, matches, guesses, settlement", 62),
    "platform": ("A leaderboard platform for many games", 121),
    "realtime": ("A real-time leaderboard for 25 million members", 36),
}


@dataclass(frozen=True)
class Line:
    """One requirement, contract, field, key, figure or failure case of a design.

    `tests`: ids of test functions that show it. `decision`: the file in docs/decisions that
    explains a difference, and `why` in one or two sentences; both '' where Pressbox does what the
    design says.
    """

    design: str
    section: str
    text: str
    tests: tuple[str, ...] = ()
    decision: str = ""
    why: str = ""


def load_lines() -> list[Line]:
    """Return the lines of all designs in the order of the document."""
    return [
        Line(
            design,
            row["section"],
            row["text"],
            tuple(row.get("tests", ())),
            row.get("decision", ""),
            row.get("why", ""),
        )
        for design in DESIGNS
        for row in tomllib.loads((LINES / f"{design}.toml").read_text())["line"]
    ]


def find_problems(lines: Iterable[Line]) -> list[str]:
    """Return one sentence for each thing to fix."""
    lines = list(lines)
    problems = [
        f"{line.design}, {line.text!r}: {problem}"
        for line in lines
        for problem in _problems_of(line)
    ]
    for design, (_, expected) in DESIGNS.items():
        count = sum(line.design == design for line in lines)
        if count != expected:
            problems.append(
                f"{design} has {count} lines, not {expected}: correct DESIGNS if that is meant"
            )
    return problems


def _problems_of(line: Line) -> list[str]:
    problems = [missing for missing in map(explain_missing, line.tests) if missing is not None]
    if not line.tests and not line.decision:
        problems.append("name a test that shows it, or the decision that says why Pressbox differs")
    if bool(line.decision) != bool(line.why):
        problems.append("a decision and its reason belong together")
    if line.decision and not (DECISIONS / line.decision).is_file():
        problems.append(f"docs/decisions/{line.decision} does not exist")
    return problems
