"""Starts, watches, restarts and ends our processes under `pressbox up`.

The list of processes is in processes.py, the stores are in app/embedded, and the recovery of a lost
store is in recovery.py. This is our own supervisor, because a demo's machine may have no systemd or
container runtime. Neither RQ's worker pool nor the standard library can restart different processes
with growing delays, or pause those that depend on a lost store.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import click

from app.core.logs.rotation import PATH_VARIABLE, open_log
from app.embedded.stack import Stack, end_process
from app.embedded.store import StartedProcess, signals_wait
from workers.supervisor.forking import ForkedProcess, is_forkable
from workers.supervisor.processes import Command, worker

RESTART_SECONDS = 1.0  # after the end of a process that ran for LONG_LIFE_SECONDS
LONG_LIFE_SECONDS = 60.0
SLOWEST_RESTART_SECONDS = 30.0  # of a process that keeps ending
LOOK_SECONDS = 20.0
CALM_LOOKS = 3
END_SECONDS = 3.0
ROOT = Path(__file__).parents[2]


def environment(stack: Stack) -> dict[str, str]:
    """Return the environment of our processes on this stack, without the table owner's rights."""
    settings = stack.settings
    return os.environ | {
        "DATABASE_URL": settings.database_url,
        "DATABASE_DIRECT_URL": settings.database_direct_url,
        "DATABASE_OWNER_URL": "",
        "REDIS_URL": settings.redis_url,
        "KAFKA_BOOTSTRAP_SERVERS": settings.kafka,
        "KAFKA_IN_MEMORY": str(int(settings.kafka_in_memory)),
        "KAFKA_GROUP_PREFIX": settings.kafka_group_prefix,
        "PRESSBOX_VAR": str(stack.var),
        "PYTHONUNBUFFERED": "1",
        # pyarrow's own allocator keeps 10 MiB in a process that once wrote an archive
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }


class Children:
    """Our processes, each with a log in `var/logs`. Processes that end by themselves are restarted.

    Args:
        stack: The stores.
        commands: The processes.
        target: Returns how many ingestion workers there should be, or None if that is not known.
            Without it their number stays.
        recover: Called in each round of `watch`, to restart stores.
        root: The folder of the code that the processes run.
    """

    def __init__(
        self,
        stack: Stack,
        commands: list[Command],
        target: Callable[[], int | None] | None = None,
        recover: Callable[[], None] | None = None,
        root: Path = ROOT,
    ) -> None:
        self.stack = stack
        self.commands = commands
        self.running: dict[str, StartedProcess] = {}
        self.leaving: list[StartedProcess] = []
        self.paused: set[str] = set()
        self.target = target
        self.recover = recover
        self.root = root
        self.looks: deque[int] = deque(maxlen=CALM_LOOKS)
        self.next_look = 0.0
        self.started_at: dict[str, float] = {}
        self.delays: dict[str, float] = {}
        self.start_at: dict[str, float] = {}
        self.stopping = threading.Event()
        self.environment = environment(stack)

    def start(self) -> None:
        """Start every process."""
        for command in self.commands:
            self._start(command)

    def _start(self, command: Command) -> None:
        with signals_wait():
            process = self._spawn(command)
            self.running[command.name] = process
            self.started_at[command.name] = time.monotonic()
            self.stack.remember(process)

    def _spawn(self, command: Command) -> StartedProcess:
        path = self.stack.var / "logs" / f"{command.name}.log"
        environment = self.environment | {PATH_VARIABLE: str(path)}
        if is_forkable(command.arguments):
            return ForkedProcess(command.arguments, environment, self.root, path)
        with open(open_log(path), "ab") as log:
            return subprocess.Popen(
                command.arguments,
                cwd=self.root,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def watch(self) -> None:
        """Restart processes that ended and adjust the number of workers until `stopping` is set."""
        while not self.stopping.wait(RESTART_SECONDS):
            if self.recover is not None:
                self.recover()
            self._look()
            for command in self.commands:
                if (
                    command.name not in self.paused
                    and self.running[command.name].poll() is not None
                ):
                    self._start_again(command)

    def _start_again(self, command: Command) -> None:
        """Restart at once after a long life, or after 2, 4, ... 30 s if it keeps ending."""
        now = time.monotonic()
        if command.name not in self.start_at:
            lived = now - self.started_at[command.name]
            before = 0.0 if lived > LONG_LIFE_SECONDS else self.delays.get(command.name, 0.0)
            delay = (
                min(max(2 * before, RESTART_SECONDS), SLOWEST_RESTART_SECONDS) if before else 0.0
            )
            self.delays[command.name] = delay or RESTART_SECONDS
            self.start_at[command.name] = now + delay
            code = self.running[command.name].returncode
            click.echo(f"{command.name} ended ({code}); starting it again, see its log.", err=True)
        if now >= self.start_at[command.name]:
            del self.start_at[command.name]
            self._start(command)

    def pause(self, store: str) -> None:
        """End the processes that must restart with this store, until `resume`."""
        chosen = [command.name for command in self.commands if store in command.restart_with]
        for name in chosen:
            if self.running[name].poll() is None:
                self.running[name].send_signal(signal.SIGTERM)
        self.paused |= set(chosen)
        deadline = time.monotonic() + END_SECONDS
        for name in chosen:
            try:
                self.running[name].wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.running[name].kill()  # safe: our processes may be killed at any point
                self.running[name].wait()

    def resume(self) -> None:
        """Start the paused processes."""
        for command in self.commands:
            if command.name in self.paused:
                self._start(command)
        self.paused.clear()

    def _look(self) -> None:
        self.leaving = [process for process in self.leaving if process.poll() is None]
        if self.target is None or self.paused or time.monotonic() < self.next_look:
            return
        self.next_look = time.monotonic() + LOOK_SECONDS
        number = self.target()
        if number is not None:
            self.looks.append(number)
            self.have_workers(max(self.looks))  # fewer only after a calm minute

    def have_workers(self, count: int) -> None:
        """Start more workers, or end the last ones after their current job."""
        workers = [command for command in self.commands if command.name.startswith("worker-")]
        for number in range(len(workers) + 1, count + 1):
            command = worker(number)
            self.commands.append(command)
            self._start(command)
        for command in workers[count:]:
            self.commands.remove(command)
            process = self.running.pop(command.name)
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                self.leaving.append(process)
        if len(workers) != count:
            click.echo(f"{count} workers now, {len(workers)} before.", err=True)

    def stop(self) -> None:
        """End every process."""
        self.stopping.set()
        processes = [*self.running.values(), *self.leaving]
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in processes:
            end_process(process)


def count_file(var: Path) -> Path:
    """Return the file of the number of ingestion workers that there should be (autoscale.py)."""
    return var / "ingestion_workers"


def written_count(var: Path) -> int | None:
    """Return the number in that file; None if there is none yet."""
    try:
        return int(count_file(var).read_text())
    except (FileNotFoundError, ValueError):
        return None
