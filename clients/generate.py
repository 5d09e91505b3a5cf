"""Generates parts of the clients from the OpenAPI document.

`python -m clients.generate` writes the methods of the Python client (python_methods.py); with
`--check` it writes nothing and fails if a file is out of date. `make docs` runs it after `pressbox
docs` has written the document. `--typescript` writes the types of the TypeScript client with
openapi-typescript, which is pinned in package.json. That is a step of the build, because they are
not in the repository.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from clients.python_methods import modules

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "openapi.json"
SCHEMA = ROOT / "clients" / "typescript" / "schema.d.ts"
OPERATIONS = ROOT / "clients" / "python" / "pressbox_client" / "operations"
TOOL = ROOT / "node_modules" / "openapi-typescript" / "bin" / "cli.js"
# A field with a default may be left out in a request. Sorting keeps the diffs small.
OPTIONS = ("--default-non-nullable=false", "--alphabetize")


class ToolMissingError(Exception):
    """openapi-typescript is not installed."""


def typescript() -> str:
    """Return the text of schema.d.ts.

    Raises:
        ToolMissingError: openapi-typescript is not installed.
    """
    if not TOOL.exists():
        raise ToolMissingError(
            "openapi-typescript is not installed: run `make node_modules/.ready`."
        )
    command = [Path(sys.executable).with_name("node"), str(TOOL), str(DOCUMENT), *OPTIONS]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    ).stdout


def python() -> dict[Path, str]:
    """Return the formatted text of each generated module of the Python client by path."""
    texts = {}
    for name, text in modules(json.loads(DOCUMENT.read_text())).items():
        path = OPERATIONS / name
        texts[path] = _formatted(text, path)
    return texts


def _formatted(text: str, path: Path) -> str:
    for command in (["check", "--select", "I", "--fix", "--quiet"], ["format", "--quiet"]):
        full = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"]
        text = subprocess.run(
            full, input=text, capture_output=True, text=True, check=True, timeout=60
        ).stdout
    return text


def main(arguments: list[str]) -> None:
    """Write the generated files; the module's docstring explains the arguments."""
    if "--typescript" in arguments:
        SCHEMA.write_text(typescript())
        return
    texts = python()
    old = {path for path in OPERATIONS.glob("*.py") if path not in texts}
    if "--check" in arguments:
        _check(texts, old)
        return
    OPERATIONS.mkdir(exist_ok=True)
    for path in old:
        path.unlink()
    for path, text in texts.items():
        path.write_text(text)
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")


def _check(texts: Mapping[Path, str], old: Collection[Path]) -> None:
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    if stale or old:
        names = ", ".join(str(path.relative_to(ROOT)) for path in [*stale, *sorted(old)])
        raise SystemExit(f"{names}: out of date; run `python -m clients.generate`.")


if __name__ == "__main__":
    main(sys.argv[1:])
