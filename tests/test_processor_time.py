"""The processor time of test runs, and the tier that it decides."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.processor_time import (
    LIMIT,
    PROBE_SECONDS,
    ROOT,
    Meter,
    ProcessTree,
    Report,
    file_of,
    probe_seconds,
    record,
)
from tests.tiers import recorded_seconds

BUSY = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"
THIS = "tests/test_processor_time.py"


def test_a_process_counts_while_it_lives_and_after_it_was_waited_for() -> None:
    tree = ProcessTree()
    seconds = [tree.seconds()]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", BUSY], **pipes) as process:
        assert process.stdout
        process.stdout.readline()
        seconds.append(tree.seconds())
        process.kill()
    seconds.append(tree.seconds())
    assert seconds[1] - seconds[0] > 0.25  # of 0.3, which the system counts in ticks
    assert seconds[2] >= seconds[1]


@pytest.mark.parametrize(
    ("budget", "slowness", "exitstatus"),
    [
        (None, 1, 0),
        (10.0, 1, 0),
        (9.9, 1, pytest.ExitCode.TESTS_FAILED),
        (5.0, 2, 0),
        (4.9, 2, pytest.ExitCode.TESTS_FAILED),
        (9.9, 0.5, pytest.ExitCode.TESTS_FAILED),
    ],
)
def test_a_run_over_its_budget_on_this_machine_fails(
    budget: float | None, slowness: float, exitstatus: int
) -> None:
    report = Report(Meter(per_test=False), budget)
    report.seconds.update({f"{THIS}::test_it": 10 - sum(report.seconds.values())})
    report.probes += [PROBE_SECONDS * slowness] * 2
    session = SimpleNamespace(config=object(), exitstatus=pytest.ExitCode.OK)
    report.check_budget(session)
    assert session.exitstatus == exitstatus


def test_a_probe_takes_processor_time() -> None:
    assert min(probe_seconds() for _ in range(5)) > 0


def test_of_two_runs_the_smaller_figure_decides_the_tier(tmp_path: Path) -> None:
    slow, shared, cheap = (f"{THIS}::test_{name}" for name in ("slow", "shared", "cheap"))
    path = tmp_path / "seconds.json"
    record({slow: 9, shared: 5, cheap: LIMIT / 2, "tests/gone.py::test_it": 7}, path)
    assert json.loads(path.read_text()) == {shared: 5, slow: 9}
    record({slow: 8.123, shared: LIMIT / 2}, path)
    assert json.loads(path.read_text()) == {slow: 8.12}


def test_every_recorded_test_exists() -> None:
    texts = {file: (ROOT / file).read_text() for file in map(file_of, recorded_seconds())}
    missing = [
        name
        for name in recorded_seconds()
        if f"def {name.partition('::')[2].partition('[')[0]}(" not in texts[file_of(name)]
    ]
    assert missing == []
