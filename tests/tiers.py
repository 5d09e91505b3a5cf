"""The two tiers of tests on one machine: `make test`, and `make test-all` with all of them.

A test belongs to the second tier by the marker `breadth`, whose reason says what it repeats, or
because it takes LIMIT seconds of processor time (tests/processor_seconds.json, from
`make durations`). The marker `everyday` keeps a costly one in `make test`: the story of a role, a
contract, or a promise that nothing cheaper shows.
"""

from __future__ import annotations

import json

import pytest
from _pytest.mark import ParameterSet

from tests.processor_time import RECORD


def repeated(reason: str, *values: object) -> list[ParameterSet]:
    """Values of a parameter that only `make test-all` tries."""
    return [pytest.param(value, marks=pytest.mark.breadth(reason)) for value in values]


def recorded_seconds() -> dict[str, float]:
    """The seconds of each test that takes LIMIT or more, by its id."""
    return json.loads(RECORD.read_text())


def mark(items: list[pytest.Item]) -> None:
    """Give `breadth` to the costly tests that are not `everyday`."""
    recorded = recorded_seconds()
    for item in items:
        if item.nodeid in recorded and not item.get_closest_marker("everyday"):
            reason = f"takes {recorded[item.nodeid]} s of processor time"
            item.add_marker(pytest.mark.breadth(reason))
