"""Our processes, forked from a server that has already imported what they need.

The standard library's fork server imports Pressbox once. A process forked from it runs its module
as `python -m` would, starts without a second of importing, and shares the memory of what was
imported with the others (docs/decisions/0098).
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from setproctitle import setproctitle

from app.core.logs.rotation import open_log

FORK_SERVER = multiprocessing.get_context("forkserver")
FORK_SERVER.set_forkserver_preload(["workers.supervisor.preloaded"])


def is_forkable(arguments: Sequence[str]) -> bool:
    """Whether the command is `python -m MODULE ...` with this interpreter."""
    return list(arguments[:2]) == [sys.executable, "-m"]


class ForkedProcess:
    """What the supervisor needs of `subprocess.Popen`, for `python -m MODULE ...`.

    The process gets a session of its own, this environment and folder, and its output is appended
    to the log.
    """

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path, log: Path
    ) -> None:
        self.args = list(arguments)
        self._process = FORK_SERVER.Process(
            target=_run_module, args=(self.args[2:], dict(environment), folder, log)
        )
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for a signal; None while the process runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return the exit code; None while the process runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code once the process has ended; raises subprocess.TimeoutExpired."""
        self._process.join(timeout)
        if (code := self._process.exitcode) is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        """Send the signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)


def _run_module(arguments: list[str], environment: dict[str, str], folder: Path, log: Path) -> None:
    """Run the module in the forked process, as `python -m` would."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # ignored by the fork server
    os.setsid()
    setproctitle(" ".join([sys.executable, "-m", *arguments]))
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
