"""The processor time of a test run: every test process and what it starts, stores and browsers too.

Seconds of the clock depend on what else the machine does, so the tiers have budgets of processor
seconds. A machine whose cores are shared with others takes more of these too, for the same work:
the budget is in seconds of a quiet machine, and a fixed piece of work, done after each file, tells
how much slower this one is. Each test process looks at the tree below it after each file. The run
prints the seconds per package, and fails above `--processor-budget`.
"""

from __future__ import annotations

import json
import resource
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

OUTPUT = "processor_seconds"
PROBES = "processor_probes"
PROBE_ROWS = [{"number": number, "points": number * 0.25} for number in range(1000)]
PROBE_SECONDS = 0.0025  # that one probe takes where only the tests run, on a server of 2024
START = "start, collection"
ROOT = Path(__file__).parents[1]
RECORD = ROOT / "tests" / "processor_seconds.json"
# From so many seconds on a test belongs to `make test-all`, unless it is marked (tests/tiers.py).
LIMIT = 0.2


class ProcessTree:
    """The processor time of this process and of all that it has started, alive or not.

    A process that has ended is part of its parent's time once the parent has waited for it. What a
    child had used when it was last seen, and nobody waited for, is kept here.
    """

    def __init__(self) -> None:
        self._children: dict[tuple[int, float], float] = {}
        self._waited = 0.0
        self._unwaited = 0.0

    def seconds(self) -> float:
        """Seconds of user and system time since this process began."""
        children = {
            (child.pid, child.create_time()): _seconds_of_tree(child)
            for child in psutil.Process().children()
        }
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        waited = usage.ru_utime + usage.ru_stime
        vanished = sum(
            max(0.0, seconds - children.get(child, 0.0))
            for child, seconds in self._children.items()
        )
        self._unwaited += max(0.0, vanished - (waited - self._waited))
        self._children, self._waited = children, waited
        return process_seconds() + waited + self._unwaited + sum(children.values())


def _seconds_of_tree(root: psutil.Process) -> float:
    seconds = 0.0
    try:
        processes = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return seconds
    for process in processes:
        try:
            seconds += sum(process.cpu_times()[:4])  # of itself and of the children it waited for
        except psutil.NoSuchProcess:
            continue
    return seconds


class Meter:
    """The pytest plugin of one test process: adds up what each file takes, or each test.

    `per_test`: recording, which costs some milliseconds per test.
    """

    def __init__(self, *, per_test: bool) -> None:
        self.per_test = per_test
        self.seconds: Counter[str] = Counter()
        self.probes: list[float] = []
        self._tree = ProcessTree()
        self._charged = 0.0

    def _charge(self, name: str) -> None:
        seconds = self._tree.seconds()
        self.seconds[name] += seconds - self._charged
        self._charged = seconds

    def pytest_collection_finish(self) -> None:
        self._charge(START)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Iterator[None]:
        outcome = yield
        if self.per_test:
            self._charge(item.nodeid)
        elif nextitem is None or nextitem.path != item.path:
            self._charge(file_of(item.nodeid))
        if nextitem is None or nextitem.path != item.path:
            self.probes.append(probe_seconds())
        return outcome

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._charge(START)
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[OUTPUT] = dict(self.seconds)
            output[PROBES] = self.probes


class Report:
    """The pytest plugin of the first process: adds up all processes, prints and checks the sum.

    Without test workers the first process is also the only one that runs tests.
    """

    def __init__(self, meter: Meter, budget: float | None) -> None:
        self.meter = meter
        self.budget = budget
        self.seconds: Counter[str] = Counter()
        self.probes: list[float] = []

    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {})
        self.seconds.update(output.get(OUTPUT, {}))
        self.probes += output.get(PROBES, [])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if hasattr(session.config, "workerinput"):
            return
        has_workers = bool(self.seconds)
        self.seconds.update({START: process_seconds()} if has_workers else self.meter.seconds)
        self.probes += self.meter.probes
        if self.meter.per_test and exitstatus == pytest.ExitCode.OK:
            record(self.seconds)
        if exitstatus == pytest.ExitCode.OK:
            self.check_budget(session)

    def check_budget(self, session: pytest.Session) -> None:
        """Turn a green run that took more than it may into a failed one."""
        if self.is_over_budget:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @property
    def is_over_budget(self) -> bool:
        """Whether the run took more than it may on this machine."""
        return self.budget is not None and self.seconds.total() > self.budget * self.slowness

    @property
    def slowness(self) -> float:
        """How many times more processor time than a quiet machine this one took; at least 1."""
        return max(1.0, statistics.fmean(self.probes or [0.0]) / PROBE_SECONDS)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        packages: Counter[str] = Counter()
        for name, seconds in self.seconds.items():
            packages[_package_of(name)] += seconds
        terminalreporter.section("processor seconds, stores and browsers included")
        for name, seconds in packages.most_common():
            terminalreporter.write_line(f"{seconds:8.1f}  {name}")
        total = f"{self.seconds.total():8.1f}  in all"
        if self.budget is None:
            terminalreporter.write_line(total)
            return
        terminalreporter.write_line(
            f"{total}, of {self.budget:.0f} on a quiet machine; this one took {self.slowness:.2f} "
            "times as long for the same work",
            red=self.is_over_budget,
        )
        if self.is_over_budget:
            terminalreporter.write_line(
                "Over the budget: make tests cheaper, or move what only repeats for breadth to "
                "`make test-all` (tests/README.md).",
                red=True,
            )


def record(seconds: Mapping[str, float], path: Path = RECORD) -> None:
    """Write the tests that take LIMIT or more; of a test recorded before, the smaller figure.

    The first test that needs a world or a store pays for it, and the order is random: so the
    smaller figure of two runs is that of the test itself. Remove the file to begin anew.
    """
    recorded = json.loads(path.read_text()) if path.exists() else {}
    measured = {name: taken for name, taken in seconds.items() if "::" in name}
    smallest = {
        name: min(measured[name], recorded.get(name, LIMIT if recorded else measured[name]))
        for name in measured
    }
    smallest |= {name: taken for name, taken in recorded.items() if name not in measured}
    slow = {
        name: round(taken, 2)
        for name, taken in sorted(smallest.items())
        if taken >= LIMIT and (ROOT / file_of(name)).exists()
    }
    path.write_text(json.dumps(slow, indent=1) + "\n")


def probe_seconds() -> float:
    """The processor time that a fixed piece of work takes now."""
    began = process_seconds()
    sorted(json.loads(json.dumps(PROBE_ROWS)), key=lambda row: row["points"] % 7)
    return process_seconds() - began


def process_seconds() -> float:
    """User and system time of this process alone."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def file_of(name: str) -> str:
    """The file of a test's id."""
    return name.partition("::")[0]


def _package_of(name: str) -> str:
    return "/".join(file_of(name).split("/")[:2])
