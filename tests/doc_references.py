"""Checks that what documents, comments and docstrings name exists.

Documents: files, tests and functions (`path::name`), links, make targets, modules that are run, and
commands. Code: files. What is history (the changelog, decisions) keeps the names of its time.

`python -m tests.doc_references` prints each reference to something that is gone, and ends with 1.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click

from app import cli

ROOT = Path(__file__).parent.parent
TOP = (
    "app|benchmarks|clients|deploy|docs|examples|migrations|requirements|scorer_console|static"
    "|templates|tests|workers"
)
PATH = re.compile(rf"(?<![\w/.-])((?:{TOP})/[\w./*{{}},-]*[\w*/}}])(?:::(\w+))?")
FILE_NAME = re.compile(r"(?<![\w/.*-])(\w+\.(?:py|js|html|css|md))(?![\w/])")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MAKE = re.compile(r"`make ([a-z][a-z-]*)")
MODULE = re.compile(r"python -m ([a-z_.]+)")
COMMAND = re.compile(r"`pressbox ([a-z-]+(?: [a-z-]+)*)")
PLACEHOLDER = re.compile(r"[A-Z]{3,}\b")  # tests/FILE.py
# Written by hand about the past: names of the time.
HISTORY = ("CHANGELOG.md", "docs/decisions/", "benchmarks/results.md", "docs/long-runs.md")
# Made by a build, or by people who use Pressbox.
MADE = ("docs/site", "static/uploads")


class Missing(NamedTuple):
    file: str
    line: int
    reference: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reference}"


def missing_references() -> list[Missing]:
    """Every reference in a document, a comment or a docstring to something that does not exist."""
    return [
        Missing(str(file.relative_to(ROOT)), number, reference)
        for file in _files()
        for number, line in enumerate(file.read_text().splitlines(), start=1)
        for reference in _missing_in(file, line)
    ]


def _files() -> Iterator[Path]:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests/README.md"]
    for file in sorted(documents):
        if not str(file.relative_to(ROOT)).startswith(HISTORY):
            yield file
    for folder in ("app", "workers", "scorer_console", "benchmarks"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def _missing_in(file: Path, line: str) -> Iterator[str]:
    is_code = file.suffix == ".py"
    for match in PATH.finditer(line):
        path, name = match.groups()
        if is_code and not path.endswith((".py", ".md", ".html", ".js", ".css")):
            continue
        if path.startswith(MADE) or "{" in path or PLACEHOLDER.search(path):
            continue
        if not _exists(path):
            yield path
        elif name and name not in _names(ROOT / path):
            yield f"{path}::{name}"
    for name in FILE_NAME.findall(line):
        if name not in _file_names():
            yield name
    if is_code:
        return
    for target in LINK.findall(line):
        if "://" not in target and not target.startswith("mailto:"):
            base = ROOT if target.startswith("/") else file.parent
            if not (base / target.lstrip("/")).exists():
                yield target
    for target in MAKE.findall(line):
        if target not in _make_targets():
            yield f"make {target}"
    for module in MODULE.findall(line):
        if module.startswith(tuple(TOP.split("|"))) and not _is_module(module):
            yield f"python -m {module}"
    for words in COMMAND.findall(line):
        if not _is_command(words.split()):
            yield f"pressbox {words}"


def _exists(path: str) -> bool:
    return any(ROOT.glob(path)) if "*" in path else (ROOT / path.rstrip("/")).exists()


@cache
def _names(file: Path) -> set[str]:
    """The functions and classes of a Python file, and the words of any other one."""
    text = file.read_text()
    if file.suffix != ".py":
        return set(re.findall(r"\w+", text))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)}


@cache
def _file_names() -> set[str]:
    return (
        {
            file.name
            for folder in TOP.split("|")
            for file in (ROOT / folder).rglob("*.*")
            if "node_modules" not in file.parts
        }
        | {file.name for file in ROOT.iterdir()}
        | {"Node.js"}
    )


@cache
def _make_targets() -> set[str]:
    text = (ROOT / "Makefile").read_text()
    return set(re.findall(r"^([a-z][a-z-]*)(?= *:)", text, re.MULTILINE))


def _is_module(module: str) -> bool:
    path = ROOT / module.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__main__.py").exists()


def _is_command(words: list[str]) -> bool:
    """Whether the words begin with a command; what follows a command are its arguments."""
    group: click.Command = cli.main
    for word in words:
        if not isinstance(group, click.Group):
            return True
        command = group.get_command(click.Context(group), word)
        if command is None:
            return False
        group = command
    return True


def main() -> None:
    missing = missing_references()
    for reference in missing:
        print(reference)
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
