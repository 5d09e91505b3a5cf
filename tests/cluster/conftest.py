"""Pressbox on servers of several machines, and the results of a day there without a fault."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.day_tables import Tables
from tests.cluster.pressbox import Pressbox, pressbox_on_machines
from tests.cluster.trial import calm_day
from tests.conftest import folder_for_stores


@pytest.fixture(scope="module")
def pressbox() -> Iterator[Pressbox]:
    with folder_for_stores() as folder:
        folder.chmod(0o755)
        with pressbox_on_machines(folder) as machines:
            yield machines


@pytest.fixture(scope="module")
def calm(pressbox: Pressbox) -> Tables:
    return calm_day(pressbox.app)
