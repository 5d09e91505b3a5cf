"""The tests' own patience.

It grows with the slowness and the crowding of the machine, and every wait ends.
"""

from __future__ import annotations

import threading

import pytest

from tests import waiting
from tests.waiting import (
    PROBE_SECONDS,
    SLOWNESS,
    comes_true,
    crowding,
    join,
    slowness,
    until,
    wait_for,
)


@pytest.mark.parametrize(
    ("seconds", "factor"),
    [(PROBE_SECONDS / 4, 1.0), (PROBE_SECONDS, 1.0), (PROBE_SECONDS * 3, 3.0)],
)
def test_a_slow_machine_gets_more_time_and_a_fast_one_no_less(
    monkeypatch: pytest.MonkeyPatch, seconds: float, factor: float
) -> None:
    monkeypatch.delenv(SLOWNESS)
    assert slowness(lambda: seconds) == factor


def test_what_was_measured_once_is_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SLOWNESS, "2.5")
    assert slowness(lambda: PROBE_SECONDS * 100) == 2.5


@pytest.mark.parametrize(
    ("workers", "processors", "factor"), [(1, 8, 1.0), (2, 2, 1.0), (4, 2, 2.0), (3, 2, 1.5)]
)
def test_workers_that_share_a_processor_get_more_time(
    workers: int, processors: int, factor: float
) -> None:
    assert crowding(workers, processors) == factor


def test_a_wait_goes_on_until_the_condition_holds_and_its_end_says_what_was_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "factor", lambda: 2.0)
    looks = iter([False, False, True])
    until(lambda: next(looks), "the third look", pause=0)
    assert not comes_true(lambda: False, seconds=0)
    with pytest.raises(AssertionError, match="not within 0 s: pigs fly"):
        until(lambda: False, "pigs fly", seconds=0)
    with pytest.raises(AssertionError, match="not within 0 s: 3 pigs"):
        until(lambda: False, lambda: f"{1 + 2} pigs", seconds=0)


def test_an_event_and_a_thread_that_never_come_fail_the_test() -> None:
    event = threading.Event()
    thread = threading.Thread(target=event.wait, name="the sleeper")
    thread.start()
    with pytest.raises(AssertionError, match="the bell rings"):
        wait_for(event, "the bell rings", seconds=0)
    with pytest.raises(AssertionError, match="the sleeper has not ended"):
        join(thread, seconds=0)
    event.set()
    wait_for(event, "the bell rings")
    join(thread)
