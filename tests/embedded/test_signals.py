"""Signals that come at the worst moment.

While the main thread holds the very lock that says "stop".
"""

from __future__ import annotations

import subprocess
import sys

from tests.waiting import patience

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
