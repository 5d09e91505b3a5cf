"""The browser's rules and the server's are one: every snap of the real games, answered by both."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.record.situation_examples import games
from tests.waiting import patience
from tests.worlds.real_games import FILES, name_of

ROOT = Path(__file__).parents[2]


@pytest.mark.realgames
@pytest.mark.parametrize("file", [pytest.param(file, id=name_of(file)) for file in FILES])
def test_the_browser_proposes_every_snap_as_the_server_does(file: Path) -> None:
    node = shutil.which("node")
    assert node is not None, "Node.js 20 or newer is missing"
    asked = list(games([file]))
    text = "\n".join(json.dumps(one) for one in asked)
    done = subprocess.run(
        [node, "tests/js/answers.js"],
        cwd=ROOT,
        input=text,
        capture_output=True,
        text=True,
        timeout=patience(300),
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    examples = [one for one in map(json.loads, text.splitlines()) if "suggestion" in one]
    assert len(examples) > 100
    assert [(one["case"], answer) for one, answer in zip(examples, answers, strict=True)] == [
        (one["case"], one["suggestion"]) for one in examples
    ]
