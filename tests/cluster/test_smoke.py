"""The short sample of the cluster's faults that every CI run has.

A broker and a database lost at once, under load.

`make test-smoke` runs it; `make test-cluster` tries every fault by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest

from tests.cluster.day_tables import Tables
from tests.cluster.faults.brokers import leader_killed
from tests.cluster.faults.databases import database_fails_over
from tests.cluster.pressbox import Pressbox
from tests.cluster.trial import broken_day

pytestmark = [
    pytest.mark.smoke,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        os.environ.get("PRESSBOX_TEST_CLUSTER") != "1", reason="needs Java: run `make test-smoke`"
    ),
]


@contextmanager
def leader_and_primary_lost(box: Pressbox) -> Iterator[None]:
    """Kafka's leading broker dies, and PostgreSQL fails over while the broker is away."""
    chance = Random(0)  # noqa: S311 (when something dies is no secret)
    with leader_killed(box, chance), database_fails_over(box, chance):
        yield


def test_a_leading_broker_and_a_primary_database_are_lost_under_load(
    pressbox: Pressbox, calm: Tables
) -> None:
    """Everything acknowledged is there once, and all tables equal those of a fault-free day."""
    broken_day(pressbox.app, "smoke", calm, leader_and_primary_lost(pressbox))
