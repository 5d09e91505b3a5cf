"""`pressbox up`: starts the stores, brings the data up to date, starts every process, and ends them all again.

Lives here: order of start and stop, restarts, what is printed. Not here: what the processes do.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click
import flask_migrate
import psycopg
import redis
import sqlalchemy
from kafka.errors import KafkaError

from app import create_app
from app.core import clock
from app.core.redis import connect
from app.demo.seed import DEMO_PASSWORD, demo_logins, seed_demo
from app.embedded.stack import Stack, StackError, end_process, running, with_running_stack
from app.fantasy.standings.boards import publish_all_boards
from app.settings import Settings
from app.stream.kafka import ensure_topics
from app.stream.republish import republish_if_empty
from scorer_console.replay import replay
from workers import autoscale
from workers.processes import Command, commands, worker

READY_SECONDS = 90
RESTART_SECONDS = 1.0
LOOK_SECONDS = 5.0
CALM_LOOKS = 12
ROOT = Path(__file__).parent.parent


class Children:
    """Our processes, each with a log in `var/logs`; one that ends by itself is started again.

    `wanted` says how many RQ workers there should be now; without it their number stays.
    """

    def __init__(self, stack: Stack, commands: list[Command], wanted: Callable[[], int] | None = None) -> None:
        self.stack = stack
        self.commands = commands
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.leaving: list[subprocess.Popen[bytes]] = []
        self.wanted = wanted
        self.looks: deque[int] = deque(maxlen=CALM_LOOKS)
        self.next_look = 0.0
        self.stopping = threading.Event()
        settings = stack.settings
        self.environment = os.environ | {
            "DATABASE_URL": settings.database_url,
            "REDIS_URL": settings.redis_url,
            "KAFKA_BOOTSTRAP_SERVERS": settings.kafka,
            "KAFKA_IN_MEMORY": str(int(settings.kafka_in_memory)),
            "KAFKA_GROUP_PREFIX": settings.kafka_group_prefix,
            "PRESSBOX_VAR": str(stack.var),
            "PYTHONUNBUFFERED": "1",
        }

    def start(self) -> None:
        for command in self.commands:
            self._start(command)

    def _start(self, command: Command) -> None:
        with open(self.stack.var / "logs" / f"{command.name}.log", "ab") as log:
            process = subprocess.Popen(
                command.arguments, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        self.running[command.name] = process
        self.stack.remember(process)

    def watch(self) -> None:
        """Starts again what ended, and has as many workers as are wanted, until `stopping` is set."""
        while not self.stopping.wait(RESTART_SECONDS):
            self._look()
            for command in self.commands:
                code = self.running[command.name].poll()
                if code is not None:
                    click.echo(f"{command.name} ended ({code}); starting it again, see its log.", err=True)
                    self._start(command)

    def _look(self) -> None:
        self.leaving = [process for process in self.leaving if process.poll() is None]
        if self.wanted is None or time.monotonic() < self.next_look:
            return
        self.next_look = time.monotonic() + LOOK_SECONDS
        try:
            self.looks.append(self.wanted())
        except (psycopg.Error, redis.RedisError) as error:
            click.echo(f"The number of workers stays: {type(error).__name__} while looking at the schedule.", err=True)
            return
        self.have_workers(max(self.looks))  # more at once, fewer only after a calm minute

    def have_workers(self, count: int) -> None:
        """Starts further workers, or lets the last ones go: each ends after the job that it has in hand."""
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
        self.stopping.set()
        processes = [*self.running.values(), *self.leaving]
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in processes:
            end_process(process)


def _workers_wanted(settings: Settings) -> Callable[[], int]:
    connection = connect(settings.redis_url)
    return lambda: autoscale.look(settings, connection, clock.now())


def bring_up_to_date(settings: Settings) -> None:
    """Migrates the database and creates missing topics; running it again changes nothing."""
    flask_migrate.upgrade(directory=str(ROOT / "migrations"))
    ensure_topics(settings)


def prepare(stack: Stack, *, demo: bool, refill: bool, say: Callable[[str], None]) -> None:
    """Migrates, seeds the demo if asked, fills an empty Redis and, to `refill`, an empty Kafka from PostgreSQL."""
    app = create_app(stack.settings)
    with app.app_context():
        say("Bringing the database up to date")
        bring_up_to_date(stack.settings)
        if demo:
            say("Making the demo season")
            seed_demo(_play)
        if refill and stack.has_embedded("broker"):
            refilled = republish_if_empty(stack.settings)
            if refilled:
                say(f"Refilling the empty broker with {refilled} events")
        publish_all_boards()


def _play(game_id: str, until: int) -> None:
    for _ in replay(game_id, until=until):
        pass


def port_is_free(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def up(settings: Settings, *, demo: bool) -> None:
    """Runs until Ctrl-C or SIGTERM. Raises StackError with one sentence when something cannot start."""
    if not port_is_free(settings.host, settings.port):
        raise StackError(
            f"Port {settings.port} is in use: stop what uses it, or choose another one with "
            f"`PORT={settings.port + 1 if settings.port < 65535 else 8000} make run`."
        )
    stopped = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        if stopped.is_set():
            return
        stopped.set()
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    try:
        click.echo(f"Starting Pressbox in {settings.var.resolve()}")
        with Stack(settings) as stack:
            try:
                prepare(stack, demo=demo, refill=True, say=lambda text: click.echo(f"  {text}"))
            except (sqlalchemy.exc.SQLAlchemyError, KafkaError) as error:
                raise StackError(
                    f"A store does not answer as it should: {str(error).splitlines()[0]} "
                    "Check DATABASE_URL, REDIS_URL and KAFKA_BOOTSTRAP_SERVERS, or look into var/logs."
                ) from error
            children = Children(
                stack, commands(stack.settings, web=True, demo=demo), wanted=_workers_wanted(stack.settings)
            )
            try:
                children.start()
                click.echo("  Waiting until everything is healthy")
                _wait_until_healthy(settings, children)
                _say_ready(settings, demo=demo)
                children.watch()
            finally:
                click.echo("\nStopping", err=True)
                children.stop()
    except KeyboardInterrupt:
        pass
    click.echo("Stopped; the data is kept. `make run` goes on from here.")


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
        time.sleep(0.2)  # the web process tells nobody that it listens: it has to be asked
    raise StackError(f"Not healthy after {READY_SECONDS} s ({last}): see the logs in {children.stack.var / 'logs'}.")


def _say_ready(settings: Settings, *, demo: bool) -> None:
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104
    click.secho(f"\nPressbox is ready at http://{host}:{settings.port}", bold=True)
    if demo:
        click.echo("\nDemo logins (password for all: " + DEMO_PASSWORD + ")")
        for role, username, what in demo_logins():
            click.echo(f"  {username:<10} {role:<10} {what}")
        click.echo(f"\nLook at http://{host}:{settings.port}/leagues/the-press-row while the games are played.")
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
        prepare(stack, demo=False, refill=processes, say=lambda text: click.echo(f"{text} ...", err=True))
        children = Children(stack, commands(stack.settings, web=False, demo=False) if processes else [])
        try:
            children.start()
            yield stack.settings
        finally:
            children.stop()
