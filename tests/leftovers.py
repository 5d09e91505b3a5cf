"""Ends what a test process leaves behind, however it ends: interrupted, terminated or killed.

`watch()` starts a small process beside the test process. All temporary folders go into one folder,
and everything that is started inherits a mark in its environment. Once the test process is gone,
the watcher ends what still carries the mark or works in the folder, with all descendants, and
removes the folder.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import psutil

from app.embedded.store import wait_until_ended

MARK = "PRESSBOX_TEST_PROCESS"
END_SECONDS = 10


def watch() -> None:
    """Start the watcher of this process; `tempfile` uses a folder of its own from now on."""
    parent = tempfile.gettempdir()
    # There pytest keeps the files of its last runs.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", parent)
    # A short name: the path of a socket has at most 100 characters.
    folder = tempfile.mkdtemp(prefix="pb-", dir=os.environ["PYTEST_DEBUG_TEMPROOT"])
    Path(folder).chmod(0o755)  # under root PostgreSQL is somebody else
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    os.environ[MARK] = folder
    # The pipe is never written to: it closes when this process ends, for whatever reason.
    reading, _ = os.pipe()
    os.posix_spawn(
        sys.executable,
        [sys.executable, "-P", __file__, folder],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0)],
        setsid=True,
    )
    os.close(reading)


def _is_marked(process: psutil.Process, folder: str) -> bool:
    """Whether a process carries the mark, or works in the folder.

    Valkey writes its title over its environment.
    """
    try:
        is_ours = process.environ().get(MARK) == folder or Path(process.cwd()).is_relative_to(
            folder
        )
        return is_ours and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _left(mark: str) -> list[psutil.Process]:
    """The processes of the test process and their descendants."""
    by_pid: dict[int, psutil.Process] = {}
    for process in psutil.process_iter():
        if process.pid != os.getpid() and _is_marked(process, mark):
            try:
                descendants = process.children(recursive=True)
            except psutil.NoSuchProcess:
                continue
            by_pid |= {member.pid: member for member in (process, *descendants)}
    by_pid.pop(os.getpid(), None)
    return list(by_pid.values())


def end_leftovers(folder: str) -> None:
    """End everything with the mark, and remove the folder.

    Twice, because a supervisor restarts what ends before it.
    """
    for signal_number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
        processes = _left(folder)
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal_number)
        wait_until_ended(processes, END_SECONDS)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.stdin.buffer.read()
    end_leftovers(sys.argv[1])
