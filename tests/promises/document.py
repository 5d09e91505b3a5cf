"""docs/promises.md: a row per promise and test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tests.promises.catalogue import Promise
from tests.promises.sources import ROOT

DOCUMENT = ROOT / "docs" / "promises.md"
HEAD = """\
# What Pressbox promises, and the tests that hold it

`make promises` writes this file from `tests/promises/promises.toml` and the `fault` markers; do not
edit it by hand. The target fails if a named test no longer exists or a promise has none.

The tier says what runs the test: `test` is `make test`, `test-all` is `make test-all`, `smoke` is
`make test-smoke`, `full` is `make test-full`, `cluster` is `make test-cluster`. A test in
`test, full` tries little in the first and much in the second.

| id | promise | held by | tier |
|---|---|---|---|
"""
TEST_AND_TIER = re.compile(r"\| `(tests/[^`]+)` \| ([^|]*) \|$", re.MULTILINE)


def render(promises: Iterable[Promise], tiers: Mapping[str, str]) -> str:
    """Return the document. `tiers` maps test ids to tiers; a test without one is shown as `?`."""
    lines = []
    for promise in promises:
        cells = [(f"`{test}`", tiers.get(test, "?")) for test in promise.tests]
        if promise.not_built:
            cells.append((f"not built: {promise.not_built}", ""))
        for number, (held_by, tier) in enumerate(cells):
            id_, text = (promise.id, promise.text) if number == 0 else ("", "")
            lines.append(f"| {id_} | {text} | {held_by} | {tier} |\n")
    return HEAD + "".join(lines)


def tiers_in(document: str) -> dict[str, str]:
    """Return the tiers that a rendered document shows."""
    return dict(TEST_AND_TIER.findall(document))
