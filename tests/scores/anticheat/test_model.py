"""The anomaly model.

The same without scikit-learn as with it, refused when it does not fit, figures current.
"""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.scores.anticheat import forest
from app.scores.anticheat.distribution import Cohort
from app.scores.anticheat.features import NAMES, Past, vector
from app.scores.anticheat.submission import PROMISED, Limits
from app.scores.anticheat.training import SMALLEST, TrainingError, grow, grow_in_child
from app.simulations.anticheat_report import SLOW, Rate, measure, tables
from tests.sizes import size
from tests.waiting import patience

NOW = datetime(2026, 4, 5, tzinfo=UTC)
HONEST = size("PRESSBOX_HONEST_PLAYERS", 300, 800)
ROOT = Path(__file__).parents[3]


def some(count: int = SMALLEST) -> list[tuple[float, ...]]:
    chance = random.Random(7)  # noqa: S311
    return [tuple(chance.gauss(0, 1) for _ in NAMES) for _ in range(count)]


def test_the_stored_forest_says_what_scikit_learn_says() -> None:
    from sklearn.ensemble import IsolationForest

    vectors = some()
    expected = IsolationForest(n_estimators=100, random_state=1).fit(vectors).score_samples(vectors)
    grown = forest.read(forest.write(grow(vectors, NOW)))
    # scikit-learn compares in single precision, so a value at a threshold may go the other way.
    assert [grown.anomaly(vector) for vector in vectors] == pytest.approx(
        [-float(score) for score in expected], abs=2e-3
    )


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"features": ["height"]},
        {"trees": []},
        {"sample": 1},
        {"trees": [{"left": [0], "right": [0], "feature": [0], "threshold": [0.0], "size": [9]}]},
    ],
)
def test_a_model_that_does_not_fit_is_refused_with_what_to_do(change: dict[str, Any]) -> None:
    stored = msgspec.json.decode(forest.write(grow(some(), NOW)))
    with pytest.raises(forest.UnfitModelError, match="pressbox anticheat train"):
        forest.read(msgspec.json.encode(stored | change))
    with pytest.raises(forest.UnfitModelError):
        forest.read(b"pickle")


def test_too_few_scores_make_no_model() -> None:
    with pytest.raises(TrainingError, match=f"{SMALLEST} or more"):
        grow(some(SMALLEST - 1), NOW)


def test_training_in_a_child_gives_the_same_model_and_leaves_scikit_learn_out_of_this_process() -> (
    None
):
    program = """
import json, sys
from datetime import UTC, datetime
from app.scores.anticheat.forest import write
from app.scores.anticheat.training import grow_in_child
grown = grow_in_child(json.load(sys.stdin), datetime(2026, 4, 5, tzinfo=UTC))
assert not {"sklearn", "scipy"} & sys.modules.keys()
sys.stdout.buffer.write(write(grown))
"""
    vectors = some()
    child = subprocess.run(
        [sys.executable, "-c", program],
        input=msgspec.json.encode(vectors),
        capture_output=True,
        check=True,
        timeout=patience(60),
        cwd=ROOT,
    )
    assert forest.read(child.stdout) == grow(vectors, NOW)


def test_a_child_that_fails_says_why() -> None:
    with pytest.raises(TrainingError, match=f"{SMALLEST} or more"):
        grow_in_child(some(3), NOW)


def test_features_tell_a_machine_from_a_person() -> None:
    cohort = Cohort(1000, 100, 200)
    machine = [Past(n * 200_000_000, 100 + 10 * n) for n in range(13)]
    height, rise, trend, pace, regularity = vector(machine[-1], machine[:-1], cohort)
    assert (height, rise, trend, regularity) == pytest.approx((1.2, 0.65, 0.5, 0.0))
    assert 10**pace == pytest.approx(200)


def test_the_interval_of_a_rate_holds_its_rate() -> None:
    assert Rate(0, 100).interval == pytest.approx((0.0, 0.0370), abs=1e-4)
    assert Rate(50, 100).interval == pytest.approx((0.4038, 0.5962), abs=1e-4)


@pytest.mark.sized
@pytest.mark.parametrize("limits", [PROMISED, SLOW])
def test_fewer_than_one_honest_score_in_a_thousand_is_held_with_players_at_the_promised_limits(
    limits: Limits,
) -> None:
    layers = {layer.name: layer.wrong for layer in measure(limits, honest=HONEST, cheaters=2)}
    assert layers["velocity"].hits == 0, "whoever keeps to the limits is never too fast"
    assert layers["all"].hits * 1000 < layers["all"].of


@pytest.mark.full
def test_the_documented_figures_are_current() -> None:
    assert tables() in (ROOT / "docs/anticheat.md").read_text(), "run `pressbox anticheat report`"
