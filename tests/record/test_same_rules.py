"""The browser's rules and the server's are one: every snap of the real games, answered by both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser_rules import ask_browser_rules
from tests.record.situation_examples import games
from tests.worlds.real_games import each_game


@pytest.mark.realgames
@pytest.mark.parametrize("file", each_game())
def test_the_browser_proposes_every_snap_as_the_server_does(file: Path) -> None:
    asked = list(games([file]))
    answers = ask_browser_rules("answers.js", asked)
    examples = [
        example for example in map(json.loads, map(json.dumps, asked)) if "suggestion" in example
    ]
    assert len(examples) > 100
    assert [
        (asked_example["case"], answer)
        for asked_example, answer in zip(examples, answers, strict=True)
    ] == [(example["case"], example["suggestion"]) for example in examples]
