"""Every wait in tests, with one clock for patience.

A wait names its nominal seconds: what is ample on a quiet machine with a core for itself. They are
multiplied by `factor()`, so that a slow or crowded machine gets more time instead of a red test. A
wait that succeeds never takes longer for it. `until` looks for a condition; `patience` is for all
other timeouts; `wait_for` and `join` are for events and threads; `rest` lets time pass. It works
under pytest and in programs such as `python -m tests.histories`.

    factor = max(1, seconds of the probe / PROBE_SECONDS) * max(1, test workers / processors)

The probe runs once per session and takes 0.15 s: a loop of arithmetic and two starts of Python,
three times, of which the slowest counts. Its result is kept in the environment variable
PRESSBOX_TEST_SLOWNESS, which test workers and started programs inherit. Setting it by hand
replaces the probe.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import psycopg
from flask import has_app_context

from app.core.db import db
from app.settings import Settings

SLOWNESS = "PRESSBOX_TEST_SLOWNESS"
PROBE_SECONDS = 0.05  # that one probe takes where nothing else runs, on a server of 2024


@cache
def factor() -> float:
    """How many times longer than on a quiet machine a wait may last; at least 1."""
    return slowness() * crowding(
        int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")), os.cpu_count() or 1
    )


def slowness(probe: Callable[[], float] | None = None) -> float:
    """How many times slower than a quiet machine this one is; at least 1.

    Measured once, then inherited.
    """
    if not (inherited := os.environ.get(SLOWNESS)):
        inherited = f"{max(1.0, (probe or probe_seconds)() / PROBE_SECONDS):.2f}"
        os.environ[SLOWNESS] = inherited
    return max(1.0, float(inherited))


def crowding(workers: int, processors: int) -> float:
    """How many test workers share a processor; at least 1."""
    return max(1.0, workers / processors)


def probe_seconds() -> float:
    """What the fixed piece of work took, the slowest of three times."""
    return max(_probe() for _ in range(3))


def _probe() -> float:
    began = time.perf_counter()
    sum(number * number for number in range(500_000))
    for _ in range(2):
        subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True)
    return time.perf_counter() - began


def patience(seconds: float) -> float:
    """The nominal seconds, stretched for this machine.

    For every timeout that is to strike only what hangs.
    """
    return seconds * factor()


def patient(settings: Settings) -> Settings:
    """These settings with time limits that strike only a store that hangs.

    They hold for what runs inside the test. The processes that it starts keep the usual limits.
    """
    return replace(
        settings,
        kafka_page_seconds=patience(30),
        kafka_read_seconds=patience(30),
        kafka_answer_seconds=patience(30),
        redis_poll_seconds=patience(2.5),
    )


def comes_true(condition: Callable[[], bool], seconds: float = 120, pause: float = 0.05) -> bool:
    """Whether the condition holds within the nominal seconds; returns as soon as it does.

    See `until`.
    """
    deadline = time.monotonic() + patience(seconds)
    while not condition():
        if time.monotonic() >= deadline:
            return False
        if has_app_context():
            db.session.rollback()  # the next look sees what was committed meanwhile
        # between two looks at another process; the condition decides, never the pause
        time.sleep(pause)
    return True


def until(
    condition: Callable[[], bool],
    what: str | Callable[[], str],
    seconds: float = 120,
    pause: float = 0.05,
) -> None:
    """Return once the condition holds; fail with `what` when it does not in time.

    Args:
        condition: is asked again and again. Inside an application's context each look is a new
            transaction.
        what: what the test waits for, as a statement that should become true, or a function that
            says it in the end.
        seconds: nominal, see the module.
        pause: between two looks.
    """
    if not comes_true(condition, seconds, pause):
        raise AssertionError(
            f"not within {patience(seconds):.0f} s: {what if isinstance(what, str) else what()}"
        )


def wait_for(event: threading.Event, what: str, seconds: float = 30) -> None:
    """Return once the event is set; fail with `what` when it is not in time."""
    assert event.wait(patience(seconds)), f"not within {patience(seconds):.0f} s: {what}"


def join(*threads: threading.Thread, seconds: float = 60) -> None:
    """Return once the threads have ended; fail when one has not in time."""
    deadline = time.monotonic() + patience(seconds)
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
        assert not thread.is_alive(), (
            f"{thread.name} has not ended within {patience(seconds):.0f} s"
        )


def rest(seconds: float) -> None:
    """Let so much time pass, no more on a slow machine.

    Where the time itself is what a test or a load is made of.
    """
    threading.Event().wait(seconds)


def until_nobody_is_at_work(url: str) -> None:
    """Return once no process of Pressbox is connected to the database.

    PostgreSQL notices some seconds later that a killed process is gone, and holds its locks until
    then.
    """
    others = (
        "SELECT pid, application_name, state, backend_start, query FROM pg_stat_activity WHERE "
        "datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE "
        "'pressbox%'"
    )
    with psycopg.connect(url, autocommit=True) as connection:

        def connected() -> list[tuple[Any, ...]]:
            return connection.execute(others).fetchall()

        until(
            lambda: not connected(),
            lambda: f"the connections of other processes have ended; there are {connected()}",
        )
