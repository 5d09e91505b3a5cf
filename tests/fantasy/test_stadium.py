"""A touchdown and every team sheet it moves.

100,000 sheets in the smoke tier, a million in the long tier.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.waiting import patience


@pytest.mark.parametrize(
    "sheets",
    [
        pytest.param(100_000, marks=pytest.mark.smoke),
        pytest.param(1_000_000, marks=pytest.mark.full),
    ],
)
@pytest.mark.timeout(1800)
def test_every_total_is_right_after_touchdowns(sheets: int) -> None:
    """The benchmark fails at the first total that differs from the plain rule in NumPy.

    In Redis or in PostgreSQL.
    """
    command = [
        sys.executable,
        "-m",
        "benchmarks.live_teams",
        "--sheets",
        str(sheets),
        "--leagues-of",
        "10",
    ]
    done = subprocess.run(
        [*command, "--rounds", "2"],
        capture_output=True,
        text=True,
        timeout=patience(1500),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert f"Every one of {sheets:,} totals is right" in done.stdout
