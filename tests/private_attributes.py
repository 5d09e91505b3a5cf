"""Finds private attributes of dependencies that our code uses.

A name with one leading underscore is an implementation detail of its package. Our own private names
are found by looking where they are defined: in any of our modules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("app", "workers", "scorer_console")
# Documented, although they begin with an underscore: of named tuples, of SQLAlchemy's rows, of
# Werkzeug's proxies; a module of the standard library.
DOCUMENTED = {"_asdict", "_fields", "_replace", "_make", "_mapping", "_get_current_object"}
DOCUMENTED |= {"_thread"}


def is_private(name: str) -> bool:
    """Whether the name has one leading underscore; `_` alone is a throw-away variable."""
    return name.startswith("_") and not name.startswith("__") and name.strip("_") != ""


def names_defined(tree: ast.AST) -> Iterator[str]:
    """Names that a module defines: functions, classes, variables, attributes, slots, fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            is_of_self = isinstance(node, ast.Attribute) and is_self(node.value)
            if isinstance(node, ast.Name):
                yield node.id
            elif is_of_self:
                yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value  # of __slots__


def is_self(node: ast.expr) -> bool:
    """Whether an expression is `self` or `cls`."""
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def uses_of_dependencies(root: Path) -> list[str]:
    """`path: name` of each private name that none of our modules defines, and private imports."""
    paths = [path for package in PACKAGES for path in sorted((root / package).rglob("*.py"))]
    trees = {path: ast.parse(path.read_text()) for path in paths}
    own_names = {name for tree in trees.values() for name in names_defined(tree)}
    uses = set()
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and is_private(node.attr):
                if node.attr not in own_names | DOCUMENTED:
                    uses.add(f"{path.relative_to(root)}: {node.attr}")
            elif isinstance(node, ast.ImportFrom):
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                is_ours = (node.module or "").split(".")[0] in PACKAGES
                if not is_ours and any(
                    is_private(name) for name in names if name not in DOCUMENTED
                ):
                    uses.add(f"{path.relative_to(root)}: {node.module}")
    return sorted(uses)
