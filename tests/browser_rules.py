"""The browser's rules, asked through Node.js."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.waiting import patience

ROOT = Path(__file__).parents[1]


def ask_browser_rules(script: str, questions: Sequence[Any]) -> list[Any]:
    """Return what a script of tests/js answers, a line of JSON for each line that it says."""
    node = shutil.which("node")
    assert node is not None, "Node.js 20 or newer is missing"
    done = subprocess.run(
        [node, f"tests/js/{script}"],
        cwd=ROOT,
        input="\n".join(json.dumps(question) for question in questions),
        capture_output=True,
        text=True,
        timeout=patience(300),
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]
