"""The promises of promises.toml and the twenty faults, each with its tests."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import test_hosts
from tests.cluster.faults import OF_PROCESSES, OF_SERVERS
from tests.promises.sources import explain_missing, tests_with_fault_markers
from tests.twenty_faults import TWENTY

DATA = Path(__file__).parent / "promises.toml"
PROMISES_PER_GROUP = {"A": 14, "B": 7, "C": 11, "D": 15, "E": 8, "F": 10, "G": 22, "P": 7}

# These take the fault as a parameter and report its number with their figures: no marker.
FAULTS_BY_CLUSTER_TEST = {
    "tests/cluster/test_hosts.py::test_the_other_host_does_all_of_it_once": {
        number for number, _ in test_hosts.FAULTS.values()
    },
    "tests/cluster/test_process_faults.py::test_nothing_is_lost_and_nothing_doubled": {
        fault.number for fault in OF_PROCESSES
    },
    "tests/cluster/test_server_faults.py::test_nothing_is_lost_and_nothing_doubled": {
        fault.number for fault in OF_SERVERS
    },
}


@dataclass(frozen=True)
class Promise:
    """`tests`: ids of test functions; `not_built`: what does not exist yet, or ''."""

    id: str
    text: str
    tests: tuple[str, ...]
    not_built: str = ""


def load_promises() -> list[Promise]:
    """Return the promises in the order of the file, then the twenty faults."""
    rows = tomllib.loads(DATA.read_text())["promise"]
    promises = [
        Promise(row["id"], row["text"], tuple(row.get("tests", ())), row.get("not_built", ""))
        for row in rows
    ]
    return promises + _load_faults()


def find_problems(promises: Iterable[Promise]) -> list[str]:
    """Return one sentence for each thing to fix in the list."""
    promises = list(promises)
    problems = [
        f"{promise.id}: {missing}"
        for promise in promises
        for missing in map(explain_missing, promise.tests)
        if missing is not None
    ]
    problems += [
        f"{promise.id}: no test holds this promise; name one, or say what is not built"
        for promise in promises
        if not promise.tests and not promise.not_built
    ]
    listed = Counter(promise.id for promise in promises)
    problems += [f"{id_} is listed {times} times" for id_, times in listed.items() if times > 1]
    expected = [
        f"{group}{number}"
        for group, count in PROMISES_PER_GROUP.items()
        for number in range(1, count + 1)
    ]
    expected += [f"fault {number}" for number in TWENTY]
    problems += [f"{id_} is not listed" for id_ in expected if id_ not in listed]
    problems += [f"{id_} is not a known promise" for id_ in listed if id_ not in expected]
    return problems


def _load_faults() -> list[Promise]:
    tests: dict[int, set[str]] = {number: set() for number in TWENTY}
    for test, number in tests_with_fault_markers():
        tests[number].add(test)
    for test, numbers in FAULTS_BY_CLUSTER_TEST.items():
        for number in numbers:
            tests[number].add(test)
    return [
        Promise(f"fault {number}", f"{text}.", tuple(sorted(tests[number])))
        for number, text in TWENTY.items()
    ]
