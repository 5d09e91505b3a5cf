"""What the embedded stores share: one server process, its log, and waiting until it answers.

How each server is called is in postgres.py, valkey.py and broker.py; stack.py decides which ones
run.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import psutil

from app.core.logs.rotation import PumpedLog
from app.embedded.errors import StackError

START_SECONDS = 30
STOP_SECONDS = 10
LONGEST_SOCKET_PATH = 100  # the system's limit is 104 bytes (macOS) or 108 (Linux)


class StartedProcess(Protocol):
    """What we need of a process that we started: of `subprocess.Popen`, and of forked ones."""

    @property
    def pid(self) -> int: ...  # noqa: D102

    @property
    def returncode(self) -> int | None: ...  # noqa: D102

    def poll(self) -> int | None: ...  # noqa: D102
    def wait(self, timeout: float | None = None) -> int: ...  # noqa: D102
    def send_signal(self, sig: int, /) -> None: ...  # noqa: D102
    def kill(self) -> None: ...  # noqa: D102


class Store:
    """An embedded server of the data folder `var`; `remember` is called with its processes."""

    name = ""  # of the log in var/logs
    title = ""  # in sentences
    start_seconds: float = START_SECONDS
    stop_signal = signal.SIGTERM

    def __init__(self, var: Path, remember: Callable[[StartedProcess], None]) -> None:
        self.var = var
        self.remember = remember
        self.process: subprocess.Popen[bytes] | None = None
        self._output: PumpedLog | None = None
        self._short_folder: Path | None = None

    @property
    def log(self) -> Path:
        """The store's log file."""
        return self.var / "logs" / f"{self.name}.log"

    def start(self) -> str:
        """Start the server, wait until it answers, and return its address.

        The address is the same after a restart.

        Raises:
            StackError: It did not start.
        """
        raise NotImplementedError

    def exit_code(self) -> int | None:
        """How the server ended by itself; None while it runs."""
        return None if self.process is None else self.process.poll()

    def stop(self) -> None:
        """Stop the store."""
        if self.process is not None:
            end_process(self.process, self.stop_signal)
        if self._output is not None:
            self._output.join(STOP_SECONDS)
        if self._short_folder is not None:
            shutil.rmtree(self._short_folder, ignore_errors=True)
            self._short_folder = None

    def _spawn(
        self,
        command: list[str],
        *,
        cwd: Path,
        user: int | None = None,
        group: int | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        with signals_wait():
            # A session of its own: Ctrl-C must reach the supervisor alone, which then ends all in
            # order.
            self.process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                cwd=cwd,
                env=None if environment is None else os.environ | environment,
                user=user,
                group=group,
                extra_groups=None if user is None else [],
            )
            assert self.process.stdout is not None
            self._output = PumpedLog(self.log, self.process.stdout)
            self.remember(self.process)

    def _wait(self, ready: Callable[[], bool], not_yet: type[Exception]) -> None:
        """Returns when the server answers.

        Raises StackError when it ends or does not answer in time.
        """
        assert self.process is not None
        deadline = time.monotonic() + self.start_seconds
        while time.monotonic() < deadline:
            if (code := self.process.poll()) is not None:
                raise StackError(f"{self.title} exited on startup (exit {code}): see {self.log}.")
            try:
                if ready():
                    return
            except not_yet:
                pass  # still starting
            time.sleep(0.05)  # a server does not tell when it listens, so it has to be polled
        raise StackError(
            f"{self.title} did not start within {self.start_seconds:.0f} s: see {self.log}."
        )

    def _socket_folder(self, folder: Path, socket_name: str) -> Path:
        """`folder`, or a short temporary one if the socket's path would be too long."""
        if len(str(folder / socket_name)) <= LONGEST_SOCKET_PATH:
            return folder
        if self._short_folder is None:
            self._short_folder = Path(tempfile.mkdtemp(prefix="pressbox-"))
        return self._short_folder


@contextmanager
def signals_wait() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM to the end of the block: no starting process is forgotten."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread only
        return
    received: list[int] = []
    handlers: dict[int, Any] = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            handlers[number] = signal.signal(number, lambda number, _frame: received.append(number))
        yield
    finally:
        for signal_number, handler in handlers.items():
            signal.signal(signal_number, handler)
        for signal_number in received:
            signal.raise_signal(signal_number)


def end_process(process: StartedProcess, first: signal.Signals = signal.SIGTERM) -> None:
    """End the process: send the signal, wait, then kill it."""
    if process.poll() is None:
        process.send_signal(first)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until_ended(processes: list[psutil.Process], seconds: float) -> list[psutil.Process]:
    """Wait until all have ended; return those that have not after so many seconds.

    Unlike psutil.wait_procs it does not wait for zombies: the first process of a container may
    never reap them.
    """
    deadline = time.monotonic() + seconds
    while (
        left := [process for process in processes if not _has_ended(process)]
    ) and time.monotonic() < deadline:
        # they are no children of ours, so the system does not tell us when they end
        time.sleep(0.02)
    return left


def _has_ended(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def accepts(host: str, port: int) -> bool:
    """Whether a server listens there. Raises OSError when it does not."""
    with socket.create_connection((host, port), timeout=1):
        return True


class ReservedPort:
    """A free port of this machine, `number`, which nobody else is given until `close`.

    Nobody answers on it, but a server that sets SO_REUSEADDR, as nearly all do, can listen on it.
    Only Linux allows that: elsewhere it is closed at once.
    """

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.number = int(self._socket.getsockname()[1])
        if sys.platform != "linux":
            self.close()

    def close(self) -> None:
        """Release the port."""
        self._socket.close()


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
