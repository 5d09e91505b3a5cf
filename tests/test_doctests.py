"""The examples in docstrings hold."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    str(file.relative_to(ROOT).with_suffix("")).replace("/", ".").removesuffix(".__init__")
    for folder in ("app", "scorer_console", "workers")
    for file in (ROOT / folder).rglob("*.py")
    if ">>> " in file.read_text()
)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_hold(module: str) -> None:
    results = doctest.testmod(import_module(module))
    assert results.attempted
    assert not results.failed
