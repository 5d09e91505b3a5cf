"""Signals that come at the worst moment.

While the main thread holds the very lock that says "stop".
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.waiting import patience
from workers.process import STUCK_SECONDS, Progress

SECONDS = 60  # nominal; to start, and then to hear of the signals

INSIDE_THE_FLAG = """
import os, signal
from app.setting_reading import settings_from_env
from app.settings import Settings
from workers.process import Process

process = Process("test", settings_from_env())
# As Event.wait holds it, and Event.set in the handler of a signal before this one.
with process.stopping._cond:
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGTERM)
assert process.stopping.wait(float(os.environ["STOP_SECONDS"]))
print("stopped")
"""


STUCK = """
from threading import Event
from app.setting_reading import settings_from_env
from workers import process

process.HEARTBEAT_SECONDS = process.STUCK_SECONDS = 0.1
process.END_SECONDS = 1.0

def stick(progress):
    progress.begin()
    Event().wait()

stuck = process.Process("test", settings_from_env())
stuck.run_beside("part", stick)
{main}
"""


@pytest.mark.parametrize(
    ("main", "ends"),
    [
        ("stuck.stopping.wait()", 0),
        ("import signal; signal.signal(signal.SIGTERM, print); Event().wait()", -signal.SIGKILL),
    ],
)
def test_a_process_with_a_part_that_is_stuck_ends_so_that_it_is_started_again(
    main: str, ends: int
) -> None:
    """Also if its main thread is stuck as well."""
    done = subprocess.run(
        [sys.executable, "-c", STUCK.format(main=main)],
        env={"PRESSBOX_VAR": "var", "PATH": "", "REDIS_URL": "redis://127.0.0.1:1/0"},
        capture_output=True,
        text=True,
        timeout=patience(2 * SECONDS),
        check=False,
    )
    assert done.returncode == ends, done.stderr[-2000:]
    assert "part_stuck" in done.stderr + done.stdout


def test_what_is_tried_again_and_again_is_not_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """A relay without Kafka has made no progress, and starting it again would not help."""
    now = 1_000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    progress = Progress()
    progress.begin()
    for _ in range(3):
        now += STUCK_SECONDS
        assert not progress.is_stuck()
        progress.begin()
    now += STUCK_SECONDS + 1
    assert progress.is_stuck()
    progress.done()
    assert not progress.is_stuck()


def test_a_signal_never_waits_for_what_it_interrupted() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INSIDE_THE_FLAG],
        env={
            "PRESSBOX_VAR": "var",
            "PATH": "",
            "REDIS_URL": "redis://127.0.0.1:1/0",
            "STOP_SECONDS": str(patience(SECONDS)),
        },
        capture_output=True,
        text=True,
        timeout=patience(2 * SECONDS),
        check=False,
    )
    assert done.stdout == "stopped\n", done.stderr[-2000:]
