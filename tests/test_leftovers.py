"""A test process that is interrupted, terminated or killed leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.leftovers import MARK
from tests.waiting import until

ROOT = Path(__file__).parents[1]
# A test process with a store: in a session of its own, deaf to its parent's signals, and without
# the environment, which Valkey overwrites with its title.
TEST_PROCESS = """
import subprocess, sys, tempfile, time
from tests import leftovers

leftovers.watch()
store = subprocess.Popen(
    [sys.executable, "-c", "import time; time.sleep(600)"],
    start_new_session=True,
    cwd=(folder := tempfile.mkdtemp()),
    env={},
)
print(store.pid, folder, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_a_test_process(number: signal.Signals) -> None:
    environment = {name: value for name, value in os.environ.items() if name != MARK}
    with subprocess.Popen(
        [sys.executable, "-c", TEST_PROCESS],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout
        pid, _, folder = process.stdout.readline().strip().partition(" ")
        store = psutil.Process(int(pid))
        assert Path(folder).is_dir()
        process.send_signal(number)
        until(lambda: not Path(folder).parent.exists(), "the folder is removed")
    assert not store.is_running() or store.status() == psutil.STATUS_ZOMBIE
