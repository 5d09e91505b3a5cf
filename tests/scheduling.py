"""The order of the tests and how two workers share them: files or groups of stories, longest first.

`tests/durations.json` has the seconds of each file, from a run with `--record-durations`, `tests/durations_full.json`
those of a full run. A file that is not in it counts as AVERAGE.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.e2e.story_groups import story_group
from tests.sizes import FULL

DURATIONS = Path(__file__).parent / ("durations_full.json" if FULL else "durations.json")
AVERAGE = 5.0


def scope_of(nodeid: str) -> str:
    """What stays together on one worker: a file, or a group of stories."""
    return story_group(nodeid) or nodeid.partition("::")[0]


class ByScope(LoadScopeScheduling):
    """Gives each worker that has nothing left the next scope, in the order of the collection."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def sort(items: list[pytest.Item]) -> None:
    """Scopes that take longest come first; inside a scope the order stays."""
    seconds: Counter[str] = Counter()
    recorded = json.loads(DURATIONS.read_text())
    for file in {item.nodeid.partition("::")[0] for item in items}:
        seconds[scope_of(file + "::")] += recorded.get(file, AVERAGE)
    items.sort(key=lambda item: (-seconds[scope_of(item.nodeid)], scope_of(item.nodeid)))


class Recorder:
    """Adds up the seconds of each file, set-up included, and writes them at the end of the run."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid.partition("::")[0]] += report.duration

    def pytest_sessionfinish(self) -> None:
        known = json.loads(DURATIONS.read_text()) | {file: round(took, 1) for file, took in self.seconds.items()}
        there = {file: known[file] for file in sorted(known) if (DURATIONS.parent.parent / file).exists()}
        DURATIONS.write_text(json.dumps(there, indent=1) + "\n")
