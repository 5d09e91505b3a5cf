"""The embedded stores: PostgreSQL, Valkey and a Kafka-compatible broker, from wheels.

Each is started only if no address is set for it. `stack.json` in the data folder says what runs, so
that every `pressbox` command of the same folder finds it. How each store is run is in postgres.py,
valkey.py and broker.py; our own processes are in workers/supervisor.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

import psutil

from app.core.atomic_files import write_whole
from app.embedded.broker import Broker
from app.embedded.errors import StackError
from app.embedded.postgres import Postgres
from app.embedded.store import StartedProcess, Store, end_process, free_port, wait_until_ended
from app.embedded.valkey import Valkey
from app.settings import Settings

__all__ = [
    "Programs",
    "Running",
    "Stack",
    "StackError",
    "end_process",
    "free_port",
    "prepare_folder",
    "running",
    "with_running_stack",
]

LEFTOVER_SECONDS = 10


@dataclass(frozen=True)
class Programs:
    """Servers to use instead of those of the wheels: PostgreSQL's programs, a Redis or Valkey."""

    postgres: Path | None = None
    valkey: Path | None = None


@dataclass(frozen=True)
class Running:
    """What `stack.json` holds: addresses of the embedded stores, and the process that ends them."""

    supervisor: int
    database_url: str
    redis_url: str
    kafka: str
    port: int = 0
    database_owner_url: str = ""


def _file(settings: Settings) -> Path:
    return settings.var / "stack.json"


def running(settings: Settings) -> Running | None:
    """Return the stack of this data folder, if its supervisor is alive."""
    try:
        stack = Running(**json.loads(_file(settings).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return stack if psutil.pid_exists(stack.supervisor) else None


def with_running_stack(settings: Settings) -> Settings:
    """Complete the settings with the addresses of the running stack.

    Raises:
        StackError: An address is missing and no stack runs.
    """
    if settings.database_url and settings.redis_url and settings.kafka:
        return settings
    stack = running(settings)
    if stack is None:
        raise StackError(
            f"No Pressbox is running in {settings.var.resolve()}: start it with `make run` "
            "(or set DATABASE_URL, REDIS_URL and KAFKA_BOOTSTRAP_SERVERS)."
        )
    complete = replace(
        settings,
        database_url=settings.database_url or stack.database_url,
        database_owner_url=settings.database_owner_url
        if settings.database_url
        else stack.database_owner_url,
        redis_url=settings.redis_url or stack.redis_url,
        kafka=settings.kafka or stack.kafka,
        kafka_in_memory=settings.kafka_in_memory or not settings.kafka,
    )
    addresses = {
        "DATABASE_URL": complete.database_url,
        "REDIS_URL": complete.redis_url,
        "KAFKA_BOOTSTRAP_SERVERS": complete.kafka,
    }
    if missing := [name for name, address in addresses.items() if not address]:
        raise StackError(
            f"The Pressbox in {settings.var.resolve()} runs with its own "
            f"{' and '.join(missing)}: set the same here."
        )
    return complete


class Stack:
    """The embedded stores of one data folder.

    Use as a context manager; leaving it stops what it started.
    """

    def __init__(self, settings: Settings, programs: Programs = Programs()) -> None:
        self.given = settings
        self.programs = programs
        self._lock: IO[str] | None = None
        self.var = settings.var.resolve()
        self.stores: list[Store] = []
        self.settings = settings

    def __enter__(self) -> Stack:
        prepare_folder(self.var)
        self._take_lock()
        try:
            self._end_leftovers()
            changes: dict[str, Any] = {}
            if not self.given.database_url:
                postgres = Postgres(self.var, self.remember, self.programs.postgres)
                changes["database_url"] = self._start(postgres)
                changes["database_owner_url"] = postgres.owner_url
            if not self.given.redis_url:
                changes["redis_url"] = self._start(
                    Valkey(self.var, self.remember, self.programs.valkey)
                )
            if not self.given.kafka:
                changes["kafka"] = self._start(Broker(self.var, self.remember))
                changes["kafka_in_memory"] = True
            self.settings = replace(self.given, **changes)
            self._write(changes)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _take_lock(self) -> None:
        """Allow one supervisor per data folder.

        The operating system releases the lock when its holder ends, for whatever reason.
        """
        lock = open(self.var / "lock", "a")  # noqa: SIM115  (held until stop)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            stack = running(self.given)
            process = f" (process {stack.supervisor})" if stack else ""
            raise StackError(
                f"Pressbox is already running in {self.var}{process}: "
                "use it, stop it with Ctrl-C where it runs, or set PRESSBOX_VAR to another folder."
            ) from error
        self._lock = lock

    def _write(self, changes: dict[str, Any]) -> None:
        # Only embedded addresses: configured ones may contain a password, and are known anyway.
        stack = Running(
            supervisor=os.getpid(),
            database_url=changes.get("database_url", ""),
            database_owner_url=changes.get("database_owner_url", ""),
            redis_url=changes.get("redis_url", ""),
            kafka=changes.get("kafka", ""),
            port=self.given.port,
        )
        write_whole(_file(self.given), json.dumps(asdict(stack)))

    def stop(self) -> None:
        """Stop the stores that this process started."""
        for store in reversed(self.stores):
            store.stop()
        self.stores.clear()
        _file(self.given).unlink(missing_ok=True)
        (self.var / "started.pids").unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _start(self, store: Store) -> str:
        self.stores.append(store)  # first: what was begun is ended too
        return store.start()

    def dead(self) -> list[Store]:
        """Return the embedded stores whose server has ended; `start` restarts one."""
        return [store for store in self.stores if store.exit_code() is not None]

    def has_embedded(self, name: str) -> bool:
        """Whether the store ('postgres', 'valkey', 'broker') is one of ours."""
        return any(store.name == name for store in self.stores)

    def remember(self, process: StartedProcess) -> None:
        """Note a process of ours on disk, so that the next start can end it if we are killed.

        The time of its creation distinguishes it from a later process with the same number.
        """
        with (
            contextlib.suppress(psutil.NoSuchProcess),
            open(self.var / "started.pids", "a") as file,
        ):
            file.write(f"{process.pid} {psutil.Process(process.pid).create_time()}\n")

    def _end_leftovers(self) -> None:
        """End the processes that a killed supervisor of this folder has left behind.

        The last one ends first, because processes end faster while their stores answer, and
        PostgreSQL waits for them.
        """
        path = self.var / "started.pids"
        lines = path.read_text().splitlines() if path.exists() else []
        for line in reversed(lines):
            pid, created = line.split()
            try:
                process = psutil.Process(int(pid))
                if process.create_time() == float(created):
                    _end(process)
            except psutil.NoSuchProcess:
                continue  # it has ended
        path.unlink(missing_ok=True)


def prepare_folder(var: Path) -> None:
    """Make the data folder, which only its owner may read.

    Raises:
        StackError: It cannot be written.
    """
    try:
        # sockets and secrets lie here: nobody else may look in
        var.mkdir(mode=0o700, parents=True, exist_ok=True)
        (var / "logs").mkdir(mode=0o700, exist_ok=True)
        probe = var / ".writable"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise StackError(
            f"The data folder {var} cannot be written ({error.strerror}): "
            "change its rights or set PRESSBOX_VAR to another folder."
        ) from error


def _end(process: psutil.Process) -> None:
    """Ends it: asks, waits, then kills.

    Raises psutil.NoSuchProcess if it was gone already, StackError if it stays.
    """
    process.terminate()
    if wait_until_ended([process], LEFTOVER_SECONDS):
        process.kill()
        if wait_until_ended([process], LEFTOVER_SECONDS):
            raise StackError(
                f"Process {process.pid} of a killed Pressbox is still running. End it, then "
                "start again."
            )
