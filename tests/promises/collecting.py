"""Collects the suite with pytest, without running it: which tests exist, which tier runs each."""

from __future__ import annotations

import pytest

from tests.promises.sources import ROOT

MARKERS_OF_TIERS = ("smoke", "full", "cluster")


def collect_tiers() -> dict[str, str]:
    """Map the id of every test function that pytest collects to its tier.

    Raises:
        SystemExit: if the suite cannot be collected; pytest has said why.
    """
    collector = _Collector()
    options = [
        "--collect-only",
        "--quiet",
        "--quiet",
        "--rootdir",
        str(ROOT),
        "-p",
        "no:cacheprovider",
    ]
    code = pytest.main([*options, str(ROOT / "tests")], plugins=[collector])
    if code != pytest.ExitCode.OK:
        raise SystemExit(f"The tests could not be collected: {code!r}")
    return {test: ", ".join(_in_order(tiers)) for test, tiers in collector.tiers.items()}


def tiers_of(markers: set[str]) -> set[str]:
    """Return the tiers that run a test with these markers."""
    tiers = markers.intersection(MARKERS_OF_TIERS) or {"test"}
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
    return [tier for tier in ("test", *MARKERS_OF_TIERS) if tier in tiers]
