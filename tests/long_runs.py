"""The log of long runs.

Each run of the long tier (full, cluster, histories, fuzz) is a row of docs/long-runs.md.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs" / "long-runs.md"
TABLE_HEAD = """\
| date | target | commit | passed | failed | skipped | seconds | seed |
|---|---|---|---|---|---|---|---|
"""
GIT_SECONDS = 60


@dataclass(frozen=True)
class LongRun:
    """The outcome of one run. `commit`: see current_commit; `seed`: '' if the run has none."""

    target: str
    commit: str
    passed: int
    failed: int
    skipped: int
    seconds: float
    seed: int | str = ""

    def table_row(self, ended: datetime) -> str:
        cells = [
            f"{ended:%Y-%m-%d %H:%M}",
            self.target,
            self.commit,
            self.passed,
            self.failed,
            self.skipped,
            f"{self.seconds:.0f}",
            self.seed,
        ]
        return f"| {' | '.join(map(str, cells))} |\n"


def record(run: LongRun, document: Path = DOCUMENT) -> None:
    """Write the run as the first row of the document's table.

    Raises:
        ValueError: if the document has no such table.
    """
    before, head, rows = document.read_text().partition(TABLE_HEAD)
    if not head:
        raise ValueError(f"{document} has no table that begins with {TABLE_HEAD.splitlines()[0]}")
    document.write_text(before + head + run.table_row(datetime.now(UTC)) + rows)


def current_commit(repository: Path = ROOT) -> str:
    """Return the short hash of HEAD, with a + if the working tree differs.

    'unknown' outside a git repository.

    The log itself does not count as a difference: the first run of a target would make the next
    one's tree dirty.
    """
    git = shutil.which("git")
    if git is None or not (repository / ".git").exists():
        return "unknown"

    def output_of(*arguments: str) -> str:
        command = [git, *arguments]
        done = subprocess.run(
            command, cwd=repository, check=True, capture_output=True, text=True, timeout=GIT_SECONDS
        )
        return done.stdout.strip()

    log = f":(exclude){DOCUMENT.relative_to(ROOT)}"
    changes = output_of("status", "--porcelain", "--", ".", log)
    return output_of("rev-parse", "--short", "HEAD") + ("+" if changes else "")


class Recorder:
    """The pytest plugin behind `--record-run TARGET`.

    Counts each test once and records the run when it ends.

    An interrupted run and one that could not be collected leave no row.
    """

    def __init__(self, target: str, document: Path = DOCUMENT) -> None:
        self.target = target
        self.document = document
        self.commit = current_commit()
        self.started = time.monotonic()
        self.outcomes: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:  # in set-up or tear-down too
            self.outcomes[report.nodeid] = "failed"
        elif report.skipped or report.when == "call":
            self.outcomes.setdefault(report.nodeid, report.outcome)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return
        outcomes = list(self.outcomes.values())
        run = LongRun(
            self.target,
            self.commit,
            passed=outcomes.count("passed"),
            failed=outcomes.count("failed"),
            skipped=outcomes.count("skipped"),
            seconds=time.monotonic() - self.started,
            seed=session.config.getoption("randomly_seed", ""),
        )
        record(run, self.document)
