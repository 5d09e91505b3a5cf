"""Collects the suite with pytest, without running it: which tests exist, which tier runs each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.promises.sources import ROOT

MARKERS_OF_TIERS = ("smoke", "full", "cluster")
OPTIONS = ["--collect-only", "--quiet", "--quiet", "-p", "no:cacheprovider"]
COLLECTING_SECONDS = 600


def collect_tiers() -> dict[str, str]:
    """Map the id of every test function that pytest collects to its tier.

    A process of its own collects: pytest rewrites the asserts of modules that are not imported yet.

    Raises:
        SystemExit: if the suite cannot be collected, with what pytest said.
    """
    with TemporaryDirectory() as folder:
        result = Path(folder) / "tiers.json"
        command = [sys.executable, "-m", "tests.promises.collecting", str(result)]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=COLLECTING_SECONDS
        )
        if done.returncode:
            raise SystemExit(f"The tests could not be collected:\n{done.stdout}{done.stderr}")
        return json.loads(result.read_text())


def tiers_of(markers: set[str]) -> set[str]:
    """Return the tiers that run a test with these markers."""
    tiers = markers.intersection(MARKERS_OF_TIERS)
    if not tiers:
        tiers = {"test-all"} if "breadth" in markers else {"test"}
    return tiers | {"full"} if "sized" in markers else tiers


class _Collector:
    """Notes the tiers of each test function, all its parameters together."""

    def __init__(self) -> None:
        self.tiers: dict[str, set[str]] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            markers = {marker.name for marker in item.iter_markers()}
            self.tiers.setdefault(item.nodeid.partition("[")[0], set()).update(tiers_of(markers))


def _in_order(tiers: set[str]) -> list[str]:
    return [tier for tier in ("test", "test-all", *MARKERS_OF_TIERS) if tier in tiers]


def main(result: Path) -> int:
    """Write the tiers as JSON; returns pytest's exit code."""
    collector = _Collector()
    code = pytest.main([*OPTIONS, "--rootdir", str(ROOT), str(ROOT / "tests")], plugins=[collector])
    result.write_text(
        json.dumps({test: ", ".join(_in_order(tiers)) for test, tiers in collector.tiers.items()})
    )
    return int(code)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
