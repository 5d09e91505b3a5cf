"""A day on which something breaks, compared with one on which nothing does."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from random import Random
from time import monotonic

import pytest
from flask import Flask

from tests import twenty_faults
from tests.cluster.day import Day
from tests.cluster.day_tables import Tables, check_rebuilt, lost_and_doubled, tables, until_shown
from tests.cluster.faults import OF_PROCESSES, OF_SERVERS, Fault
from tests.cluster.pressbox import Pressbox
from tests.sizes import size
from tests.waiting import until

CLUSTER = [
    pytest.mark.cluster,
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        os.environ.get("PRESSBOX_TEST_CLUSTER") != "1", reason="needs Java: run `make test-cluster`"
    ),
]
TIMES = size("FAULT_TIMES", 1, 3)  # that each fault is tried, each time at moments of its own

SECONDS = 6.0  # over which a day's acts are spread
BEFORE = 10  # acts that are acknowledged before something breaks


def calm_day(app: Flask) -> Tables:
    """What comes of a day on which nothing is broken."""
    day = Day(app, "calm")
    day.live(SECONDS)
    with app.app_context():
        until_shown(day)
        assert lost_and_doubled(day) == (0, 0)
        check_rebuilt(day)
        return tables(day)


def broken_day(
    app: Flask,
    name: str,
    calm: Tables,
    broken: AbstractContextManager[None],
    *,
    shown_while_broken: bool = False,
) -> list[object]:
    """Live a day during which something is broken, and return the figures of a row.

    The day must equal the calm one and what is rebuilt from the messages (tests/twenty_faults.py).

    `shown_while_broken`: all of it has to be shown before it is healed.
    """
    day = Day(app, name)
    with ThreadPoolExecutor(1) as pool:
        living = pool.submit(day.live, SECONDS)
        until(lambda: living.done() or len(day.lived.acknowledged) >= BEFORE, "the day has begun")
        since = monotonic()
        with broken:
            if shown_while_broken:
                living.result()
                recovered = _shown_after(app, day, since)
        if not shown_while_broken:
            since = monotonic()
            living.result()
            recovered = _shown_after(app, day, since)
    lived = living.result()
    with app.app_context():
        lost, doubled = lost_and_doubled(day)
        day_tables = tables(day)
        assert {name for name in calm if calm[name] != day_tables[name]} == set()
        assert (lost, doubled) == (0, 0)
        check_rebuilt(day)
    return [
        lived.tried,
        len(lived.acknowledged),
        lost,
        doubled,
        f"{lived.longest:.1f} s",
        f"{recovered:.1f} s",
    ]


def day_with_fault(
    box: Pressbox,
    calm: Tables,
    fault: Fault,
    time: int,
    record_property: Callable[[str, object], None],
) -> None:
    """A day with the fault, the `time`-th of its days; its row goes into the table of faults."""
    number = [*OF_SERVERS, *OF_PROCESSES].index(fault)
    broken = fault.breaks(box, Random(100 * time + number))  # noqa: S311 (when something dies is no secret)
    figures = broken_day(box.app, f"day-{number}-{time}", calm, broken)
    record_property(twenty_faults.PROPERTY, twenty_faults.row(fault.number, fault.title, *figures))


def _shown_after(app: Flask, day: Day, since: float) -> float:
    """How long after `since` all of the day is shown, in seconds."""
    with app.app_context():
        until_shown(day)
    return monotonic() - since
