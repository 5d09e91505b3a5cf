"""How the workers share the tests: whole files, long ones first, the rest in random order.

`tests/durations.json` has the seconds of each file, from a run with `--record-durations`. A file that is missing there
counts as AVERAGE.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

DURATIONS = Path(__file__).parent / "durations.json"
AVERAGE = 2.0
LONG = 10.0  # from here on a file is started early, so that no worker is left alone with it at the end


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


class ByFile(LoadScopeScheduling):
    """Gives each idle worker the next file, in the order of the collection."""

    def _split_scope(self, nodeid: str) -> str:
        return file_of(nodeid)


def sort(items: list[pytest.Item]) -> None:
    """Put long files first, the longest at the front; keep the (random) order of everything else."""
    seconds = json.loads(DURATIONS.read_text())

    def length(item: pytest.Item) -> float:
        recorded: float = seconds.get(file_of(item.nodeid), AVERAGE)
        return recorded if recorded >= LONG else 0.0

    items.sort(key=lambda item: -length(item))


class Recorder:
    """Adds up the seconds of each file, including set-up, and writes them at the end of the run."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[file_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        recorded = json.loads(DURATIONS.read_text()) | {file: round(took, 1) for file, took in self.seconds.items()}
        existing = {file: recorded[file] for file in sorted(recorded) if (DURATIONS.parent.parent / file).exists()}
        DURATIONS.write_text(json.dumps(existing, indent=1) + "\n")
