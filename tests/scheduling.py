"""How the workers share the tests: whole files or groups of browser stories.

Long ones come first, the longest at the front, the shortest come last, and the order is random
otherwise.

`tests/durations.json` has the seconds of each file, from a run with `--record-durations`. A file
that is missing there counts as AVERAGE.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.e2e.story_groups import story_group

DURATIONS = Path(__file__).parent / "durations.json"
AVERAGE = 2.0
# From LONG seconds on a scope is started early, and those below SHORT fill the end: no worker is
# left alone with much.
LONG, SHORT = 10.0, 1.0


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def scope_of(nodeid: str) -> str:
    """Return what stays together on one worker.

    A file, or a group of stories that share a running site.
    """
    return story_group(nodeid) or file_of(nodeid)


class ByScope(LoadScopeScheduling):
    """Gives each idle worker the next scope, in the order of the collection."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def sort(items: list[pytest.Item]) -> None:
    """Put long scopes first, the longest at the front, and short ones last.

    Keep the (random) order otherwise.
    """
    recorded = json.loads(DURATIONS.read_text())
    seconds: Counter[str] = Counter()
    for file in {file_of(item.nodeid) for item in items}:
        seconds[scope_of(file)] += recorded.get(file, AVERAGE)

    def place(item: pytest.Item) -> float:
        length = seconds[scope_of(item.nodeid)]
        return -length if length >= LONG else float(length < SHORT)

    items.sort(key=place)


class Recorder:
    """Adds up the seconds of each file, including set-up, and writes them at the end of the run."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[file_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        recorded = json.loads(DURATIONS.read_text()) | {
            file: round(took, 1) for file, took in self.seconds.items()
        }
        existing = {
            file: recorded[file]
            for file in sorted(recorded)
            if (DURATIONS.parent.parent / file).exists()
        }
        DURATIONS.write_text(json.dumps(existing, indent=1) + "\n")
