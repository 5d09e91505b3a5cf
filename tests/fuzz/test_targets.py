"""Every target for a few inputs.

`make test-full` tries many, `make fuzz` as many as there is time for.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from app.embedded.stack import Stack
from tests.fuzz import running
from tests.fuzz.running import TARGETS, environment_of, fuzz, stores_of
from tests.sizes import size

pytestmark = pytest.mark.needs_tools("fuzz")
SEED = 1
# Inputs in `make test` and in `make test-full`: a target takes a few seconds there, and half a
# minute of a core here; more is for `make fuzz`, and so are the API and the forms, whose world
# takes long to make.
RUNS = {
    "events": (6_000, 300_000),
    "stream": (6_000, 200_000),
    "lua": (1_000, 20_000),
    "importers": (150, 3_000),
    "provider": (300, 8_000),
}


@pytest.mark.sized
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("target", RUNS)
def test_nothing_is_found(
    target: str, tmp_path: Path, request: pytest.FixtureRequest, measured: Callable[[str], None]
) -> None:
    runs = size("FUZZ_RUNS", *RUNS[target])
    if TARGETS[target] == "stack":
        stack: Stack = request.getfixturevalue("stack")
        ran = fuzz(target, tmp_path, seed=SEED, runs=runs, variables=environment_of(stack))
    else:
        with stores_of(target) as variables:
            ran = fuzz(target, tmp_path, seed=SEED, runs=runs, variables=variables)
    if ran.finding:
        pytest.fail(ran.finding, pytrace=False)  # an assertion would show its beginning alone
    assert ran.runs >= runs
    measured(f"fuzzed {target}: {ran.runs:,} inputs, nothing found")


def test_the_memory_that_the_tests_took_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process begins with the peak of who started it, where that one does not fork."""
    monkeypatch.setattr(running, "MEMORY_MB", 600)
    taken = bytearray(800 * 1024 * 1024)
    taken[::4096] = b"1" * len(taken[::4096])  # each page of it is used
    del taken
    ran = fuzz("events", tmp_path, seed=SEED, runs=RUNS["events"][0], variables=dict(os.environ))
    assert ran.finding == ""
