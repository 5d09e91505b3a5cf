"""`pressbox up`: starts the stores, brings the data up to date, starts every process, and ends them all again.

Lives here: order of start and stop, restarts, what is printed. Not here: what the processes do.
"""

from __future__ import annotations

import ipaddress
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

import click
import sqlalchemy
from kafka.errors import KafkaError

from app import create_worker_app
from app.core import schema
from app.core.timeouts import Use
from app.embedded.stack import Stack, StackError, running, with_running_stack
from app.fantasy.standings.boards import publish_all_boards
from app.ops.health import check_all
from app.ops.versions import check_versions
from app.settings import Settings
from app.stream.kafka import ensure_topics
from app.stream.republish import republish_if_empty
from workers.children import Children, workers_wanted
from workers.processes import commands
from workers.recovery import Recovery

READY_SECONDS = 90
HEALTH_SECONDS = 10.0


def bring_up_to_date(settings: Settings) -> None:
    """Migrates the database and creates missing topics; running it again changes nothing."""
    schema.upgrade()
    ensure_topics(settings)


@dataclass(frozen=True)
class Demo:
    """`seed` makes the demo season if it is not there; `welcome`: lines with its logins."""

    seed: Callable[[], object]
    welcome: Callable[[], list[str]]


def prepare(stack: Stack, *, demo: Demo | None, refill: bool, say: Callable[[str], None]) -> None:
    """Migrates, seeds the demo if there is one, fills an empty Redis and, to `refill`, an empty Kafka."""
    app = create_worker_app(stack.settings, Use.UPKEEP)
    with app.app_context():
        check_versions()
        say("Bringing the database up to date")
        bring_up_to_date(stack.settings)
        if demo is not None:
            say("Making the demo season")
            demo.seed()
        if refill and stack.has_embedded("broker"):
            refilled = republish_if_empty(stack.settings)
            if refilled:
                say(f"Refilling the empty broker with {refilled} events")
        publish_all_boards()


def port_is_free(host: str, port: int) -> bool:
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


def up(settings: Settings, *, demo: Demo | None, known_passwords: Callable[[], bool]) -> None:
    """Runs until Ctrl-C or SIGTERM. Raises StackError with one sentence when something cannot start.

    `known_passwords`: whether the database has accounts with the demo's password; then no other machine may come in.
    """
    if demo is not None and not is_loopback(settings.host):
        raise StackError(
            f"HOST={settings.host} would open the demo, whose passwords everybody knows, to the network: "
            "leave HOST unset, or start without the demo: `PRESSBOX_DEMO=0 make run`."
        )
    if not port_is_free(settings.host, settings.port):
        raise StackError(
            f"Port {settings.port} is in use: stop what uses it, or choose another one with "
            f"`PORT={settings.port + 1 if settings.port < 65535 else 8000} make run`."
        )
    _stop_on_signals()
    try:
        click.echo(f"Starting Pressbox in {settings.var.resolve()}")
        with Stack(settings) as stack:
            try:
                prepare(stack, demo=demo, refill=True, say=lambda text: click.echo(f"  {text}"))
                _refuse_known_passwords(stack, known_passwords)
            except (sqlalchemy.exc.SQLAlchemyError, KafkaError) as error:
                raise StackError(
                    f"A store does not answer as it should: {str(error).splitlines()[0]} "
                    "Check DATABASE_URL, REDIS_URL and KAFKA_BOOTSTRAP_SERVERS, or look into var/logs."
                ) from error
            wanted = commands(stack.settings, web=True, demo=demo is not None)
            children = Children(stack, wanted, wanted=workers_wanted(stack.settings))
            children.recover = Recovery(stack, create_worker_app(stack.settings, Use.UPKEEP), children).look
            try:
                children.start()
                click.echo("  Waiting until everything is healthy")
                _wait_until_healthy(settings, children)
                _say_ready(settings, demo)
                threading.Thread(target=_watch_health, args=(stack.settings, children.stopping), daemon=True).start()
                children.watch()
            finally:
                click.echo("\nStopping", err=True)
                children.stop()
    except KeyboardInterrupt:
        pass
    click.echo("Stopped; the data is kept. `make run` goes on from here.")


def _stop_on_signals() -> None:
    """The first Ctrl-C or SIGTERM raises KeyboardInterrupt; further ones must not disturb the stopping."""
    stopped = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        if not stopped.is_set():
            stopped.set()
            raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def _refuse_known_passwords(stack: Stack, known_passwords: Callable[[], bool]) -> None:
    if is_loopback(stack.settings.host):
        return
    with create_worker_app(stack.settings, Use.UPKEEP).app_context():
        if known_passwords():
            raise StackError(
                f"HOST={stack.settings.host} would open accounts of the demo, whose passwords everybody knows, to the "
                "network: leave HOST unset, or set PRESSBOX_VAR to a folder without the demo."
            )


def _wait_until_healthy(settings: Settings, children: Children) -> None:
    url = f"http://127.0.0.1:{settings.port}/healthz"
    deadline = time.monotonic() + READY_SECONDS
    last = "the web server does not answer"
    while time.monotonic() < deadline:
        for command in children.commands:
            if (code := children.running[command.name].poll()) is not None:
                log = children.stack.var / "logs" / f"{command.name}.log"
                raise StackError(f"{command.name} ended at once (exit {code}): see {log}.")
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except urllib.error.HTTPError as error:
            last = error.read().decode()
        except OSError:
            pass  # not listening yet
        time.sleep(0.2)  # the web process does not announce that it listens: ask it
    raise StackError(f"Not healthy after {READY_SECONDS} s ({last}): see the logs in {children.stack.var / 'logs'}.")


def _watch_health(settings: Settings, stopping: threading.Event) -> None:
    """Says which parts go down and come back: those too that live and do not get their work done."""
    app = create_worker_app(settings, Use.WEB)
    down: set[str] = set()
    while not stopping.wait(HEALTH_SECONDS):
        with app.app_context():
            parts = check_all(settings)
        for part in parts:
            if not part.up and part.name not in down:
                click.echo(f"{part.name} is down: {part.detail}. {part.remedy}", err=True)
            elif part.up and part.name in down:
                click.echo(f"{part.name} is up again.", err=True)
        down = {part.name for part in parts if not part.up}


def _say_ready(settings: Settings, demo: Demo | None) -> None:
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104
    click.secho(f"\nPressbox is ready at http://{host}:{settings.port}", bold=True)
    if demo is not None:
        click.echo("\n" + "\n".join(demo.welcome()))
        click.echo(f"\nLook at http://{host}:{settings.port}/leagues/the-press-row while the games are played.")
        click.echo("The demo rests while nobody looks; `PRESSBOX_DEMO=0 make run` starts without it.")
    click.echo("Ctrl-C stops everything.")


@contextmanager
def running_stack(settings: Settings, *, processes: bool) -> Iterator[Settings]:
    """For a command of its own: the running stack's settings, or those of a stack started just for the command.

    `processes`: also relay, bridges and workers, when the stack is started here.
    """
    if running(settings) is not None or (settings.database_url and settings.redis_url and settings.kafka):
        yield with_running_stack(settings)
        return
    with Stack(settings) as stack:
        prepare(stack, demo=None, refill=processes, say=lambda text: click.echo(f"{text} ...", err=True))
        children = Children(stack, commands(stack.settings, web=False, demo=False) if processes else [])
        try:
            children.start()
            yield stack.settings
        finally:
            children.stop()
