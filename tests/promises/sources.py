"""The suite's test functions and their `fault` markers, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


@cache
def faults_by_test(file: str) -> dict[str, frozenset[int]]:
    """Map the test functions of a file to the numbers of their `fault` markers.

    {} without a file.
    """
    path = ROOT / file
    if not path.is_file():
        return {}
    module = ast.parse(path.read_text())
    of_module = frozenset(_fault_numbers(_pytestmark(module.body)))
    return {
        name: of_module.union(_fault_numbers(function.decorator_list))
        for name, function in _functions(module.body)
    }


def list_test_files() -> list[str]:
    """List the suite's test files as paths from the root of the repository, sorted."""
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))


def tests_with_fault_markers() -> Iterator[tuple[str, int]]:
    """Yield (test id, fault number) for every `fault` marker, ordered by test id."""
    for file in list_test_files():
        if "mark.fault" in (ROOT / file).read_text():
            for name, numbers in faults_by_test(file).items():
                for number in sorted(numbers):
                    yield f"{file}::{name}", number


def explain_missing(test: str) -> str | None:
    """Return None if the test exists, otherwise say what it may be called now."""
    file, _, name = test.partition("::")
    functions = faults_by_test(file)
    if name in functions:
        return None
    definition = f"def {name.rpartition('::')[2]}("
    files = [other for other in list_test_files() if definition in (ROOT / other).read_text()]
    if moved := [other for other in files if name in faults_by_test(other)]:
        return (
            f"{test} has moved: name {' or '.join(f'{other}::{name}' for other in moved)} instead"
        )
    if not (ROOT / file).is_file():
        return (
            f"{test}: there is no such file and no test of that name; name another test that holds "
            "this promise"
        )
    if similar := get_close_matches(name, functions, n=3, cutoff=0.6):
        return f"{test}: there is no such test in the file; similar ones are {', '.join(similar)}"
    return f"{test}: there is no such test in the file; name another test that holds this promise"


def _functions(body: Iterable[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _functions(node.body, f"{prefix}{node.name}::")
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield prefix + node.name, node


def _pytestmark(body: Iterable[ast.stmt]) -> Iterator[ast.expr]:
    for node in body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets
        ):
            yield node.value


def _fault_numbers(expressions: Iterable[ast.expr]) -> Iterator[int]:
    """Yield the argument of every `pytest.mark.fault(NUMBER)`."""
    for expression in expressions:
        for node in ast.walk(expression):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.fault":
                yield ast.literal_eval(node.args[0])
