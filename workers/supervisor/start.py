"""`pressbox up`: starts the stores, prepares the data, starts every process, and ends them all.

To keep this process small, the preparation runs in a short-lived process (prepare.py), and code for
recovery is imported only after a fault.
"""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import click

from app import create_worker_app
from app.core.postgres.timeouts import Use
from app.embedded.stack import Stack, StackError, end_process, running, with_running_stack
from app.embedded.store import signals_wait
from app.settings import Settings
from workers.supervisor import first_start
from workers.supervisor.children import (
    ROOT,
    Children,
    count_file,
    environment,
    written_count,
)
from workers.supervisor.first_start import FirstStart
from workers.supervisor.processes import commands
from workers.supervisor.recovery import Recovery

if TYPE_CHECKING:
    from flask import Flask

    from app.ops.health import Part

READY_SECONDS = 90
HEALTH_SECONDS = 30.0
LAST_PORT = 65535


def port_is_free(host: str, port: int) -> bool:
    """Whether a server can listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server on that address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def up(settings: Settings, start: FirstStart, welcome: list[str]) -> None:
    """Run Pressbox until Ctrl-C or SIGTERM.

    `welcome` is printed when everything is ready. Even without the demo, it refuses to be reachable
    from other machines while the database has accounts with the demo's password. Raises StackError
    with one sentence if something cannot start.
    """
    if start.is_demo and not is_loopback(settings.host):
        raise StackError(
            f"HOST={settings.host} would open the demo to the network, and its passwords are "
            "public. Leave HOST unset, or start without the demo: `PRESSBOX_DEMO=0 make run`."
        )
    if not port_is_free(settings.host, settings.port):
        raise StackError(
            f"Port {settings.port} is in use. Stop what uses it, or choose another port with "
            f"`PORT={settings.port + 1 if settings.port < LAST_PORT else 8000} make run`."
        )
    _stop_on_signals()
    os.umask(0o077)  # only the owner may read files of Pressbox and its stores
    try:
        click.echo(f"Starting Pressbox in {settings.var.resolve()}")
        if running(settings) is None:  # else the stack refuses to start
            # Before the database is made: an installation that has one is not asked again.
            first_start.remember(settings, start)
        with Stack(settings) as stack:
            _prepare(stack, start)
            first_start.remember(settings, first_start.prepared(start))
            processes = commands(stack.settings, web=True, demo=start.is_demo)
            count_file(stack.var).unlink(missing_ok=True)  # of the previous run
            children = Children(stack, processes, target=lambda: written_count(stack.var))
            children.recover = Recovery(stack, children).look
            try:
                children.start()
                click.echo("  Waiting until everything is healthy")
                _wait_until_healthy(settings, children)
                _say_ready(settings, start, welcome)
                threading.Thread(
                    target=_watch_health, args=(stack.settings, children.stopping), daemon=True
                ).start()
                children.watch()
            finally:
                click.echo("\nStopping", err=True)
                children.stop()
    except KeyboardInterrupt:
        pass
    click.echo("Stopped. Your data is kept, and `make run` continues from here.")


def _stop_on_signals() -> None:
    """Raise KeyboardInterrupt on the first Ctrl-C or SIGTERM.

    Further signals are ignored, so that they do not interrupt the shutdown.
    """
    stopped = False  # not an Event, whose lock an interrupted handler might hold

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal stopped
        if not stopped:
            stopped = True
            raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def prepare_arguments(stack: Stack, start: FirstStart) -> list[str]:
    """Return the `pressbox prepare` command for this stack (workers/supervisor/prepare.py)."""
    arguments = [sys.executable, "-m", "app.cli", "prepare", *start.prepare_arguments()]
    if stack.has_embedded("broker"):
        arguments.append("--refill-broker")
    if stack.settings.production or not is_loopback(stack.settings.host):
        arguments.append("--refuse-demo-accounts")
    return arguments


def _prepare(stack: Stack, start: FirstStart) -> None:
    """Prepare the data in a short-lived process.

    If that fails, it has printed the reason; raises SystemExit.
    """
    process: subprocess.Popen[bytes] | None = None
    try:
        with signals_wait():
            # A separate session, so that Ctrl-C only reaches the supervisor, which then ends it.
            process = subprocess.Popen(
                prepare_arguments(stack, start),
                cwd=ROOT,
                env=environment(stack) | {"DATABASE_OWNER_URL": stack.settings.database_owner_url},
                start_new_session=True,
            )
            stack.remember(process)
        if process.wait():
            raise SystemExit(1)
    finally:
        if process is not None:
            end_process(process)


def _wait_until_healthy(settings: Settings, children: Children) -> None:
    deadline = time.monotonic() + READY_SECONDS
    last: str | None = "the web server does not answer"
    while time.monotonic() < deadline:
        for command in children.commands:
            if (code := children.running[command.name].poll()) is not None:
                log = children.stack.var / "logs" / f"{command.name}.log"
                raise StackError(f"{command.name} ended at once (exit {code}): see {log}.")
        last = _trouble(settings)
        if last is None:
            return
        time.sleep(0.2)  # the web process does not announce that it listens: ask it
    raise StackError(
        f"Not healthy after {READY_SECONDS} s ({last}): see the logs in "
        f"{children.stack.var / 'logs'}."
    )


def _trouble(settings: Settings) -> str | None:
    """Return the web server's description of the problem, or None if everything is healthy."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{settings.port}/healthz", timeout=5):
            return None
    except urllib.error.HTTPError as error:
        return error.read().decode()
    except OSError:
        return "the web server does not answer"


def _watch_health(settings: Settings, stopping: threading.Event) -> None:
    """Print which parts go down and come back, including processes that hang."""
    look = _Parts(settings)
    down: set[str] = set()
    while not stopping.wait(HEALTH_SECONDS):
        parts = [] if _trouble(settings) is None else look()
        for part in parts:
            if not part.up and part.name not in down:
                click.echo(f"{part.name} is down: {part.detail}. {part.remedy}", err=True)
        still_down = {part.name for part in parts if not part.up}
        for name in sorted(down - still_down):
            click.echo(f"{name} is up again.", err=True)
        down = still_down


class _Parts:
    """Returns every part with its remedy.

    It imports a lot, so it is only called if the web server does not report that all is well.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.app: Flask | None = None

    def __call__(self) -> list[Part]:
        from app.ops.health import check_all

        self.app = self.app or create_worker_app(self.settings, Use.WEB)
        with self.app.app_context():
            return check_all(self.settings)


def _say_ready(settings: Settings, start: FirstStart, welcome: list[str]) -> None:
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104
    click.secho(f"\nPressbox is ready at http://{host}:{settings.port}", bold=True)
    if welcome:
        click.echo("\n" + "\n".join(welcome))
    if start.is_demo:
        click.echo(f"\nWatch the games live at http://{host}:{settings.port}/leagues/the-press-row")
        click.echo(
            "The demo keeps playing automatically. `PRESSBOX_DEMO=0 make run` starts without it."
        )
    click.echo("Ctrl-C stops everything.")


@contextmanager
def running_stack(settings: Settings, *, processes: bool) -> Iterator[Settings]:
    """Yield the settings of the running stack, or of a stack that is started for this command.

    With `processes`, relay, bridges and workers are started too, if the stack is started here.
    """
    from workers.supervisor.prepare import prepare

    if running(settings) is not None or (
        settings.database_url and settings.redis_url and settings.kafka
    ):
        yield with_running_stack(settings)
        return
    with Stack(settings) as stack:
        refill = processes and stack.has_embedded("broker")
        prepare(
            stack.settings,
            refill_broker=refill,
            say=lambda text: click.echo(f"{text} ...", err=True),
        )
        children = Children(
            stack, commands(stack.settings, web=False, demo=False) if processes else []
        )
        try:
            children.start()
            yield stack.settings
        finally:
            children.stop()
