"""The log of long runs: which rows are written, where, and what they say."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import pytest

from tests import long_runs
from tests.long_runs import TABLE_HEAD, LongRun, Recorder, current_commit, record

RUN = LongRun("test-full", "1a2b3c4", passed=90, failed=1, skipped=2, seconds=1234.6, seed=17)


@pytest.fixture
def document(tmp_path: Path) -> Path:
    document = tmp_path / "long-runs.md"
    document.write_text(f"# Long runs\n\n{TABLE_HEAD}")
    return document


def rows(document: Path) -> list[list[str]]:
    """The cells of each row under the table's head, without the date."""
    lines = document.read_text().partition(TABLE_HEAD)[2].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")][1:] for line in lines]


def test_the_newest_run_comes_first(document: Path) -> None:
    record(RUN, document)
    record(LongRun("fuzz", "1a2b3c4+", passed=9, failed=0, skipped=0, seconds=60), document)
    assert rows(document) == [
        ["fuzz", "1a2b3c4+", "9", "0", "0", "60", ""],
        ["test-full", "1a2b3c4", "90", "1", "2", "1235", "17"],
    ]
    assert document.read_text().startswith("# Long runs\n")


def test_the_projects_own_log_has_the_table() -> None:
    assert long_runs.DOCUMENT.read_text().count(TABLE_HEAD) == 1


def test_a_document_without_the_table_is_left_alone(document: Path) -> None:
    document.write_text("# Long runs\n")
    with pytest.raises(ValueError, match="has no table"):
        record(RUN, document)
    assert document.read_text() == "# Long runs\n"


def test_a_plus_marks_a_tree_with_changes_other_than_the_log(tmp_path: Path) -> None:
    assert current_commit(tmp_path) == "unknown"

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "Begin")
    commit = git("rev-parse", "--short", "HEAD")
    assert current_commit(tmp_path) == commit
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "long-runs.md").write_text(TABLE_HEAD)
    assert current_commit(tmp_path) == commit
    (tmp_path / "app.py").write_text("")
    assert current_commit(tmp_path) == f"{commit}+"


def report(
    test: str,
    when: Literal["setup", "call", "teardown"],
    outcome: Literal["passed", "failed", "skipped"],
) -> pytest.TestReport:
    return pytest.TestReport(test, ("test_a.py", 1, test), {}, outcome, None, when)


def session(seed: int | None = None) -> pytest.Session:
    """As much of a session as the recorder asks for.

    Without a seed pytest-randomly is switched off.
    """
    options = {} if seed is None else {"randomly_seed": seed}
    return SimpleNamespace(config=SimpleNamespace(getoption=options.get))  # type: ignore[return-value]


def test_each_test_counts_once_and_as_failed_wherever_it_failed(document: Path) -> None:
    recorder = Recorder("test-full", document)
    for test, call, teardown in (
        ("a", "passed", "passed"),
        ("b", "failed", "passed"),
        ("c", "passed", "failed"),
    ):
        recorder.pytest_runtest_logreport(report(test, "setup", "passed"))
        recorder.pytest_runtest_logreport(report(test, "call", call))
        recorder.pytest_runtest_logreport(report(test, "teardown", teardown))
    recorder.pytest_runtest_logreport(report("d", "setup", "failed"))
    recorder.pytest_runtest_logreport(report("e", "setup", "skipped"))
    recorder.pytest_runtest_logreport(report("e", "teardown", "passed"))
    recorder.pytest_sessionfinish(session(seed=5), pytest.ExitCode.TESTS_FAILED)
    (row,) = rows(document)
    assert row[2:5] == ["1", "3", "1"]
    assert row[6] == "5"


@pytest.mark.parametrize(
    "status",
    [
        pytest.ExitCode.INTERRUPTED,
        pytest.ExitCode.NO_TESTS_COLLECTED,
        pytest.ExitCode.INTERNAL_ERROR,
    ],
)
def test_a_run_that_did_not_end_leaves_no_row(document: Path, status: pytest.ExitCode) -> None:
    Recorder("test-full", document).pytest_sessionfinish(session(), status)
    assert rows(document) == []
