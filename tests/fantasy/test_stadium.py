"""The live path of a stadium's team sheets: a million of them in `make test-full`, every total by the plain rule."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.sizes import size
from tests.waiting import patience

SHEETS = size("PRESSBOX_STADIUM_SHEETS", few=3_000, many=1_000_000)


@pytest.mark.sized
@pytest.mark.timeout(1800)
def test_every_total_of_every_sheet_is_right_after_touchdowns() -> None:
    """The benchmark ends with an error at the first total that is not NumPy's, in Redis and in leagues of friends."""
    command = [sys.executable, "-m", "benchmarks.live_teams", "--sheets", str(SHEETS), "--leagues-of", "10"]
    done = subprocess.run(
        [*command, "--rounds", "2"], capture_output=True, text=True, timeout=patience(1500), check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert f"Every one of {SHEETS:,} totals is right" in done.stdout
