"""Processes of Pressbox for tests, forked from a server that has already imported what they need.

Before the first line of `python -m workers.bridge` runs, importing has taken more than a second of
processor time. The fork server imports once per test session; a process forked from it then runs
its module as `python -m` does. What a process imports, how it starts and how its interpreter ends
is tested on real ones (tests/test_imports.py, tests/embedded).
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path

from app.core.logs.rotation import PATH_VARIABLE, open_log
from workers.supervisor.children import Children
from workers.supervisor.processes import Command

FORK_SERVER = multiprocessing.get_context("forkserver")
FORK_SERVER.set_forkserver_preload(["tests.preloaded"])


class ForkedChildren(Children):
    """Children whose Python processes are forked; everything else is as `pressbox up` does it."""

    def _spawn(self, command: Command, log: Path) -> subprocess.Popen[bytes]:
        if command.arguments[:2] != [sys.executable, "-m"]:
            return super()._spawn(command, log)
        environment = self.environment | {PATH_VARIABLE: str(log)}
        return ForkedProcess(command.arguments, environment, self.root, log)  # type: ignore[return-value]


class ForkedProcess:
    """The part of subprocess.Popen that tests and Children use, in the fork server's child.

    For `python -m MODULE ...`.
    """

    def __init__(
        self, arguments: list[str], environment: dict[str, str], folder: Path, log: Path
    ) -> None:
        self.args = arguments
        # A daemon, so that one left behind by a failed test does not keep pytest from ending.
        self._process = FORK_SERVER.Process(
            target=_run_module, args=(arguments[2:], environment, folder, log), daemon=True
        )
        self._process.start()
        self.pid: int = self._process.pid  # type: ignore[assignment]

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if (code := self._process.exitcode) is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _run_module(arguments: list[str], environment: dict[str, str], folder: Path, log: Path) -> None:
    """In the forked process.

    Run the module as `python -m` would, its output appended to the log.
    """
    os.setsid()
    descriptor = open_log(log)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(descriptor, stream.fileno())
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = arguments
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
