"""Log files that only their owner may read, and that are set aside when they have grown large.

Lives here: our own processes' files, which each process changes itself, and the output of the
embedded stores, which is pumped. Not here: what is logged and how (configuration.py).
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
    """A descriptor to append to the file, made readable by its owner alone, whoever made it
    before."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor


def set_aside(path: Path) -> None:
    """NAME becomes NAME.1, that NAME.2, and so on; the last one goes."""
    for number in range(KEPT, 0, -1):
        older = path.with_name(f"{path.name}.{number - 1}") if number > 1 else path
        if older.exists():
            older.replace(path.with_name(f"{path.name}.{number}"))


def rotate_own_log(largest: int = LARGEST) -> None:
    """Begins a new file when the one that PRESSBOX_LOG names has `largest` bytes.

    Standard output and error go on into the new one, tracebacks and what libraries print included,
    so that no line is lost: each is written to the one file or the other. Processes that share the
    file agree by a lock.
    """
    named = os.environ.get(PATH_VARIABLE)
    if not named or not _is_large(_STDERR, largest):
        return
    path = Path(named)
    with open(path.with_name(f".{path.name}.lock"), "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_large(_STDERR, largest):  # another thread of this process was first
            return
        if _is_same(path):  # else another process was first: only go on in its new file
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
    """Writes a store's output to a file line by line, from a thread that ends with the store.

    A store cannot be asked to begin a new file, so its output comes through a pipe. When the disk
    is full lines are left out and counted, for a pipe that nobody reads would stop the store.
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
        """Waits until the store's last line is written."""
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
