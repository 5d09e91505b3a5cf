"""Rules that stand in Python and in the browser.

Both read the examples of tests/js/examples (tests/js/*.test.js).
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.record import events as ev
from app.record.rules.football.ball import ball_after
from app.record.rules.football.rulebook import rulebook
from app.record.words import clock_words, period_words, sentence, spot
from tests.tools import NODE
from tests.waiting import patience

ROOT = Path(__file__).parents[2]


def examples(name: str) -> Any:
    return json.loads((ROOT / "tests/js/examples" / f"{name}.json").read_text())


BODIES, BALLS = examples("bodies"), examples("balls")


def test_the_scripts_agree_with_the_examples() -> None:
    command = [NODE, "--test", "tests/js/**/*.test.js"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience(300))
    assert done.returncode == 0, done.stdout[-3000:]


def test_there_is_a_body_of_every_type() -> None:
    assert {body["body"]["type"] for body in BODIES} == set(ev.EVENT_TYPES)


@pytest.mark.parametrize("example", BODIES, ids=[body["body"]["type"] for body in BODIES])
def test_a_body_is_valid_and_names_its_players(example: dict[str, Any]) -> None:
    body = ev.body_from(example["body"])
    assert ev.players_of(body) == set(example["players"])
    assert len(sentence(body, {})) > 5


@pytest.mark.parametrize("example", BALLS, ids=[ball["case"] for ball in BALLS])
def test_the_ball_is_followed(example: dict[str, Any]) -> None:
    snap, *bodies = (ev.body_from(body) for body in (example["snap"], *example["bodies"]))
    assert isinstance(snap, ev.Snap)
    ball = ball_after(snap, bodies, "SF", "DAL", rulebook("nfl", 2019))
    assert (ball.team, ball.yard, ball.player) == (
        example["team"],
        example["yard"],
        example["player"],
    )


def test_spots_clocks_and_periods_are_said_so() -> None:
    for example in examples("words"):
        actual = spot(*example["spot"]) if "spot" in example else None
        actual = actual or (
            clock_words(example["clock"]) if "clock" in example else period_words(example["period"])
        )
        assert actual == example["words"]


def test_what_the_snap_line_reads_is_a_snap() -> None:
    start = {"possession": "SF", "spot": 30, "period": 1, "clock": 700, "down": 1, "distance": 10}
    for example in examples("snaps"):
        assert isinstance(ev.body_from({"type": "snap", **start, **example["snap"]}), ev.Snap), (
            example["text"]
        )
