"""Submitted scores, against a bare Flask view that only calls kafka-python's send and flush.

`python -m benchmarks.submits` starts stores of its own in a temporary folder, one web process of
`workers.web`, one `workers.scores`, and beside them the same server with that bare view. Over so
many kept connections it sends, each round in turn: to the bare view a score, and 1,000 in one
request; to Pressbox `POST /v1/scores` (answered when the score is on the board), a player's score
(`wait=no`: answered when Kafka has it; `wait=committed`), and a game server's 1,000 a call.
Players, keys and addresses are as many as the limits of each want. After each round everything
taken in must be in PostgreSQL once, which ends the run otherwise; "on boards" is scores a second
until then. Printed: scores a second (medians of the rounds), the 50th and 95th percentile of a
request, the median ratio to the bare view, and the processor time that a score takes in the web
process and in the consumer, which other work on the machine hardly moves.
"""

from __future__ import annotations

import argparse
import os
import re
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil
from flask import Flask, Response, request
from kafka import KafkaProducer
from sqlalchemy import func, select

from app import create_app
from app.core.db import db
from app.embedded.stack import free_port
from app.scores.models import ScoreAttempt
from app.settings import Settings
from benchmarks.load import wait_until_listening
from benchmarks.polls import connect
from benchmarks.slow_clients import serving
from benchmarks.submitters import BULK, World, post
from workers.supervisor.start import running_stack
from workers.web.server import bind, make_server

ROOT = Path(__file__).parent.parent
BULK_CONNECTIONS = 2
FLOOR_TOPIC = "benchmark-floor"
CONSUMER = "workers.scores"
DRAIN_SECONDS = 120.0
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)
CHUNKED = b"transfer-encoding: chunked"
REFUSED, NOT_YET = b'"status":"refused"', b'"status":"unavailable"'


@dataclass(frozen=True)
class _Target:
    """A way to submit that is measured; `make` builds requests of `scores` scores each."""

    name: str
    floor: str  # the bare way to compare it with
    make: Callable[[int], list[bytes]]
    port: int
    connections: int
    scores: int = 1

    @property
    def process(self) -> str:
        """Whose processor time it takes."""
        return "benchmarks.submits" if self.name == self.floor else "workers.web"


@dataclass
class _Measured:
    rates: list[float] = field(default_factory=list)
    on_boards: list[float] = field(default_factory=list)
    taken: list[float] = field(default_factory=list)  # seconds of each request
    web: list[float] = field(default_factory=list)  # seconds of the server's processor time a score
    consumer: list[float] = field(
        default_factory=list
    )  # the same for the process that puts them on the boards


def drive(
    port: int, connections: int, requests: Sequence[bytes], seconds: float
) -> tuple[int, float, list[float]]:
    """Return how many requests were answered, the seconds for all, and the seconds of each.

    Every connection has one request in progress.
    """
    waiting = iter(requests)
    taken: list[float] = []
    with selectors.DefaultSelector() as selector:
        opened_connections = [connect(port) for _ in range(connections)]
        began = time.perf_counter()
        for opened in opened_connections:
            _send(selector, opened, waiting, register=True)
        while selector.get_map():
            for key, _ in selector.select(60):
                connection = key.fileobj
                assert isinstance(connection, socket.socket)
                sent_at, before, sent = key.data
                received = before + connection.recv(1 << 20)
                if not _is_whole(received):
                    selector.modify(connection, selectors.EVENT_READ, (sent_at, received, sent))
                    continue
                # an overloaded machine asks for the same request again
                if NOT_YET in received:
                    selector.modify(connection, selectors.EVENT_READ, (sent_at, b"", sent))
                    connection.sendall(sent)
                    continue
                taken.append(time.perf_counter() - sent_at)
                more = time.perf_counter() - began < seconds
                _send(selector, connection, waiting if more else iter(()), register=False)
        spent = time.perf_counter() - began
        for opened in opened_connections:
            opened.close()
    return len(taken), spent, taken


def _send(
    selector: selectors.BaseSelector,
    connection: socket.socket,
    waiting: Iterator[bytes],
    *,
    register: bool,
) -> None:
    sent = next(waiting, None)
    if sent is None:
        if not register:
            selector.unregister(connection)
        return
    put = selector.register if register else selector.modify
    put(connection, selectors.EVENT_READ, (time.perf_counter(), b"", sent))
    connection.sendall(sent)


def _is_whole(answer: bytes) -> bool:
    """Whether the answer is complete; end the run if it refuses a score."""
    head, gap, body = answer.partition(b"\r\n\r\n")
    if not gap:
        if not answer:
            raise SystemExit("the server closed the connection")
        return False
    if CHUNKED in head.lower():
        return body.endswith(b"\r\n0\r\n\r\n")
    length = LENGTH.search(head + b"\r\n")
    if length is None or not head.startswith(b"HTTP/1.1 20"):
        raise SystemExit(f"answered {answer[:600]!r}")
    if len(body) < int(length[1]):
        return False
    if REFUSED in body:
        raise SystemExit(f"refused: {body[body.index(REFUSED) :][:400]!r}")
    return True


def _bare(port: int, threads: int, servers: str) -> None:
    """Serve a view that gives each score to Kafka and waits until it is there."""
    app = Flask("bare")
    producer = KafkaProducer(bootstrap_servers=servers, acks="all")

    @app.post("/<int:count>")
    def view(count: int) -> Response:
        data = request.get_data()
        for start in range(count):
            producer.send(FLOOR_TOPIC, data[start : start + 300])
        producer.flush()
        return Response("{}", mimetype="application/json")

    make_server(app, bind("127.0.0.1", port), slots=threads).run()


@contextmanager
def running(settings: Settings, *arguments: str) -> Iterator[None]:
    """Run a module in a process of its own, which logs into `settings.var`."""
    with open(settings.var / f"{arguments[0]}.log", "ab") as log:
        running = subprocess.Popen(
            [sys.executable, "-m", *arguments], cwd=ROOT, stdout=log, stderr=log
        )
    try:
        yield
    finally:
        running.terminate()
        running.wait()


@contextmanager
def _serving_bare(settings: Settings) -> Iterator[int]:
    port = free_port()
    arguments = ["--bare", str(port), "--threads", str(settings.web_threads)]
    with running(settings, "benchmarks.submits", *arguments):
        wait_until_listening(port)
        yield port


def addresses(settings: Settings) -> dict[str, str]:
    """Return the environment of processes on these stores."""
    return {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "KAFKA_BOOTSTRAP_SERVERS": settings.kafka,
        "PRESSBOX_VAR": str(settings.var),
        "TRUSTED_PROXIES": "1",  # so that every player has an address of their own
    }


def _stored() -> int:
    db.session.rollback()
    return db.session.scalar(select(func.count()).select_from(ScoreAttempt)) or 0


def until_stored(expected: int) -> None:
    """Wait until PostgreSQL has so many scores; end the benchmark if it never does, or has more."""
    deadline = time.monotonic() + DRAIN_SECONDS
    while (stored := _stored()) < expected:
        if time.monotonic() > deadline:
            raise SystemExit(f"{expected} scores were taken in, {stored} are stored")
        time.sleep(0.02)
    if stored > expected:
        raise SystemExit(f"{expected} scores were taken in, {stored} are stored")


def _busy(process: str) -> float:
    """Return the processor seconds so far of our processes of that name."""
    family = psutil.Process().children(recursive=True)
    running = [child for child in family if process in " ".join(child.cmdline())]
    return float(sum(child.cpu_times().user + child.cpu_times().system for child in running))


def _measure(ways: Sequence[_Target], rounds: int, seconds: float) -> None:
    measured = {target.name: _Measured() for target in ways}
    expected = _stored()
    most = {target.name: 10 * target.connections for target in ways}
    for number in range(rounds + 1):
        for target in ways:
            requests = target.make(most[target.name])
            web, consumer = _busy(target.process), _busy(CONSUMER)
            began = time.perf_counter()
            count, spent, taken = drive(target.port, target.connections, requests, seconds)
            most[target.name] = (
                int(2 * seconds * count / spent) + target.connections
            )  # for the next round
            if target.floor != target.name:
                expected += count * target.scores
                until_stored(expected)
            if number:  # the first round warms up
                measured_way = measured[target.name]
                measured_way.rates.append(count * target.scores / spent)
                measured_way.on_boards.append(count * target.scores / (time.perf_counter() - began))
                measured_way.taken += taken
                measured_way.web.append((_busy(target.process) - web) / (count * target.scores))
                measured_way.consumer.append((_busy(CONSUMER) - consumer) / (count * target.scores))
    print(
        "| scores sent in | connections | scores/s | on boards/s | p50 ms | p95 ms | ratio | web "
        "ms | consumer ms |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for target in ways:
        measured_way, floor = measured[target.name], measured[target.floor]
        ratio = statistics.median(
            rate / beside for rate, beside in zip(measured_way.rates, floor.rates, strict=True)
        )
        taken = sorted(measured_way.taken)
        p50, p95 = (f"{taken[int(len(taken) * part)] * 1000:.1f}" for part in (0.5, 0.95))
        boards = (
            f"{statistics.median(measured_way.on_boards):.0f}"
            if target.floor != target.name
            else ""
        )
        rate = f"{statistics.median(measured_way.rates):.0f}"
        cpu = " | ".join(
            f"{statistics.median(seconds) * 1000:.2f}"
            for seconds in (measured_way.web, measured_way.consumer)
        )
        print(
            f"| {target.name} | {target.connections} | {rate} | {boards} | {p50} | {p95} | "
            f"{ratio:.2f} | {cpu} |",
            flush=True,
        )


def _ways_of(world: World, port: int, floor: int, connections: int) -> list[_Target]:
    single, many = "bare Flask view, send and flush", f"bare Flask view, {BULK} sends and a flush"

    def plain(count: int) -> list[bytes]:
        return [post("/1", "none", 0, {"score": "x" * 250}, {})] * count

    def plain_bulk(count: int) -> list[bytes]:
        return [post(f"/{BULK}", "none", 0, {"scores": ["x" * 125] * BULK}, {})] * count

    bulk_connections = min(BULK_CONNECTIONS, connections)
    return [
        _Target(single, single, plain, floor, connections),
        _Target("`POST /v1/scores`, committed", single, world.points, port, connections),
        _Target("a player's score, accepted", single, world.own("no"), port, connections),
        _Target("a player's score, committed", single, world.own("committed"), port, connections),
        _Target(many, many, plain_bulk, floor, bulk_connections, BULK),
        _Target(f"bulk of {BULK}, accepted", many, world.bulk("no"), port, bulk_connections, BULK),
        _Target(
            f"bulk of {BULK}, committed",
            many,
            world.bulk("committed"),
            port,
            bulk_connections,
            BULK,
        ),
    ]


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each way in each round")
    parser.add_argument("--players", type=int, default=1_000)
    parser.add_argument("--bulk-players", type=int, default=20_000)
    parser.add_argument("--only", default="", help="a part of the names of the ways, for a profile")
    parser.add_argument("--bare", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=8, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.bare:
        _bare(arguments.bare, arguments.threads, os.environ["KAFKA_BOOTSTRAP_SERVERS"])
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as stack,
        create_app(replace(stack, kafka_in_memory=False)).app_context(),
    ):
        os.environ |= addresses(stack)
        world = World(arguments.players, arguments.bulk_players)
        with (
            running(stack, "workers.scores"),
            serving("uvicorn", stack) as port,
            _serving_bare(stack) as floor,
        ):
            ways = _ways_of(world, port, floor, arguments.connections)
            chosen = [
                target
                for target in ways
                if target.name == target.floor or arguments.only in target.name
            ]
            _measure(chosen, arguments.rounds, arguments.seconds)


if __name__ == "__main__":
    main()
