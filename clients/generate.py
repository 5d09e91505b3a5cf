"""Writes what of the clients is made from the OpenAPI document (docs/openapi.json): `python -m
clients.generate`.

The methods of the Python client come from python_methods.py, the types of the TypeScript client
from openapi-typescript, pinned in package.json. Run it after `pressbox docs` wrote the document
anew (`make docs` does both); without Node.js it still writes what is Python. With `--check` it
writes nothing and fails where a file is old.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from clients.python_methods import modules

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "openapi.json"
SCHEMA = ROOT / "clients" / "typescript" / "schema.d.ts"
OPERATIONS = ROOT / "clients" / "python" / "pressbox_client" / "operations"
TOOL = ROOT / "node_modules" / "openapi-typescript" / "bin" / "cli.js"
# A field with a default may be left out in a request; sorted, so that a new operation moves no
# other.
OPTIONS = ("--default-non-nullable=false", "--alphabetize")


class ToolMissing(Exception):
    """openapi-typescript is not installed."""


def typescript() -> str:
    """The text of schema.d.ts. Raises ToolMissing."""
    if not TOOL.exists():
        raise ToolMissing(
            "openapi-typescript is not installed: run `make node_modules/.ready` (it needs Node.js "
            "20)."
        )
    command = ["node", str(TOOL), str(DOCUMENT), *OPTIONS]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    ).stdout


def python() -> dict[Path, str]:
    """The text of each module of the Python client that is generated, by its path.

    Formatted by ruff.
    """
    found = {}
    for name, text in modules(json.loads(DOCUMENT.read_text())).items():
        path = OPERATIONS / name
        found[path] = _formatted(text, path)
    return found


def _formatted(text: str, path: Path) -> str:
    for command in (["check", "--select", "I", "--fix", "--quiet"], ["format", "--quiet"]):
        full = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"]
        text = subprocess.run(
            full, input=text, capture_output=True, text=True, check=True, timeout=60
        ).stdout
    return text


def main(check: bool) -> None:
    wanted, missing = python(), None
    try:
        wanted[SCHEMA] = typescript()
    except ToolMissing as error:
        missing = error
    old = {path for path in OPERATIONS.glob("*.py") if path not in wanted}
    if check:
        stale = [
            path for path, text in wanted.items() if not path.exists() or path.read_text() != text
        ]
        if stale or old:
            names = ", ".join(str(path.relative_to(ROOT)) for path in [*stale, *sorted(old)])
            raise SystemExit(f"{names}: out of date; run `python -m clients.generate`.")
        return
    OPERATIONS.mkdir(exist_ok=True)
    for path in old:
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text)
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
    if missing:
        raise SystemExit(f"{SCHEMA.relative_to(ROOT)} is not written: {missing}")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
