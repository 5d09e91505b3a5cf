"""The browser's rules, asked through Node.js."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.tools import NODE
from tests.waiting import patience

ROOT = Path(__file__).parents[1]


def ask_browser_rules(script: str, questions: Sequence[Any]) -> list[Any]:
    """Return what a script of tests/js answers, a line of JSON for each line that it says."""
    done = subprocess.run(
        [NODE, f"tests/js/{script}"],
        cwd=ROOT,
        input="\n".join(json.dumps(question) for question in questions),
        capture_output=True,
        text=True,
        timeout=patience(300),
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]
