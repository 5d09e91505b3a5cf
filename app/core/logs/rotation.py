"""Log files that only their owner may read, and that are rotated when they grow large.

Two kinds: the files of our own processes, which each process rotates itself, and the output of the
embedded stores, which is copied through a pipe. The configuration of logging is in
configuration.py.

logging.handlers.RotatingFileHandler is not used, because it rotates only what passes through
logging: tracebacks at the end of a process, output of libraries and of child processes would be
lost, and several processes that share one file would rotate it under each other.
"""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import threading
from pathlib import Path
from typing import IO

LARGEST = 10 * 1024 * 1024  # bytes of one file
KEPT = 3  # older files: NAME.1 is the newest of them
PATH_VARIABLE = "PRESSBOX_LOG"  # names the file that a process's standard error was sent to
_STDOUT, _STDERR = 1, 2


def open_log(path: Path) -> int:
    """Return a descriptor to append to the file, which only its owner can read from now on."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor


def set_aside(path: Path) -> None:
    """Rename NAME to NAME.1, that to NAME.2, and so on; the last one is deleted."""
    for number in range(KEPT, 0, -1):
        older = path.with_name(f"{path.name}.{number - 1}") if number > 1 else path
        if older.exists():
            older.replace(path.with_name(f"{path.name}.{number}"))


def rotate_own_log(largest: int = LARGEST) -> None:
    """Begin a new file when the one that PRESSBOX_LOG names has `largest` bytes.

    Standard output and error continue in the new file, tracebacks and library output included, so
    no line is lost. Processes that share the file coordinate through a lock.
    """
    named = os.environ.get(PATH_VARIABLE)
    if not named or not _is_large(_STDERR, largest):
        return
    path = Path(named)
    with open(path.with_name(f".{path.name}.lock"), "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_large(_STDERR, largest):  # another thread of this process was first
            return
        if _is_same(path):  # else another process was first: just switch to its new file
            set_aside(path)
        descriptor = open_log(path)
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(descriptor, _STDERR)
        os.dup2(descriptor, _STDOUT)
        os.close(descriptor)


def _is_large(descriptor: int, largest: int) -> bool:
    status = os.fstat(descriptor)
    return stat.S_ISREG(status.st_mode) and status.st_size >= largest


def _is_same(path: Path) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(_STDERR))
    except FileNotFoundError:
        return False


class PumpedLog:
    """Copies a store's output to a file line by line, from a thread that ends with the store.

    A store cannot be told to begin a new file, so its output comes through a pipe. When the disk is
    full, lines are dropped and counted, because a pipe that nobody reads would block the store.
    """

    def __init__(self, path: Path, output: IO[bytes], largest: int = LARGEST) -> None:
        self.path = path
        self.output = output
        self.largest = largest
        self.left_out = 0
        self.descriptor = open_log(path)
        self.thread = threading.Thread(target=self._pump, name=f"log-{path.name}", daemon=True)
        self.thread.start()

    def join(self, seconds: float) -> None:
        """Wait until the store's last line is written."""
        self.thread.join(seconds)

    def _pump(self) -> None:
        with self.output:
            for line in self.output:
                self._write(line)
        os.close(self.descriptor)

    def _write(self, line: bytes) -> None:
        try:
            if os.fstat(self.descriptor).st_size >= self.largest:
                set_aside(self.path)
                os.close(self.descriptor)
                self.descriptor = open_log(self.path)
            if self.left_out:
                os.write(self.descriptor, f"{self.left_out} lines are missing here\n".encode())
                self.left_out = 0
            os.write(self.descriptor, line)
        except OSError:
            self.left_out += 1
