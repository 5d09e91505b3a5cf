"""`python -m tests.vague_names`: finds variables whose names do not say what they hold.

It looks at variables, parameters and loop variables of Python and of templates; eslint.config.js
has the same list for scripts. Fields of classes are left out: they name columns and JSON. Ends with
1 if it finds any.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "app",
    "workers",
    "scorer_console",
    "benchmarks",
    "clients",
    "deploy",
    "examples",
    "tests",
)
VAGUE = {"one", "found", "made", "held", "said", "some", "its", "way", "own", "wanted", "shown"}
VAGUE |= {"over", "rest", "given", "kept", "seen", "theirs", "ours", "gone", "told", "got", "came"}
# `{% for found in`, `{% for key, one in`, `{% set made =`, `{% macro row(found)`
TEMPLATE_NAMES = re.compile(
    r"{%-?\s*(?:for\s+([\w\s,]+?)\s+in\b|set\s+(\w+)|macro\s+\w+\(([^)]*)\))"
)


def in_python(source: str) -> Iterator[tuple[int, str]]:
    """The line and the name of each vague variable or parameter."""
    tree = ast.parse(source)
    fields = {
        statement.target
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        if node in fields:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE:
            yield node.lineno, node.id
        elif isinstance(node, ast.arg) and node.arg in VAGUE:
            yield node.lineno, node.arg


def in_template(source: str) -> Iterator[tuple[int, str]]:
    """The line and the name of each vague variable of a template."""
    for match in TEMPLATE_NAMES.finditer(source):
        for name in re.findall(r"\w+", " ".join(group for group in match.groups() if group)):
            if name in VAGUE:
                yield source.count("\n", 0, match.start()) + 1, name


def findings() -> list[str]:
    """`path:line: name` of each vague name, in the order of the files."""
    files = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    files += sorted((ROOT / "templates").rglob("*.html"))
    return [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for file in files
        for line, name in sorted(
            (in_python if file.suffix == ".py" else in_template)(file.read_text())
        )
    ]


if __name__ == "__main__":
    vague = findings()
    if vague:
        sys.exit("\n".join([*vague, f"{len(vague)} names do not say what they hold."]))
