"""Faults of our own processes under a running load.

Nothing lost, nothing doubled, all as without a fault.

`make test-cluster` runs each once. Every day ends in a comparison with a day on which nothing was
broken, and with what is built anew from the messages.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cluster.day_tables import Tables
from tests.cluster.faults import OF_PROCESSES, Fault
from tests.cluster.pressbox import Pressbox
from tests.cluster.trial import CLUSTER, TIMES, day_with_fault

pytestmark = CLUSTER


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("fault", OF_PROCESSES, ids=lambda fault: fault.name)
def test_nothing_is_lost_and_nothing_doubled(
    pressbox: Pressbox,
    calm: Tables,
    fault: Fault,
    time: int,
    record_property: Callable[[str, object], None],
) -> None:
    day_with_fault(pressbox, calm, fault, time, record_property)
