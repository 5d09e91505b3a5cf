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
REFUSED, NOT_YET = b'"status":"refused"', b'"status":"unavailable"'


@dataclass(frozen=True)
class _Way:
    """One thing that is measured.

    `make`: so many different requests; each carries `scores` of them.
    """

    name: str
    floor: str  # the bare way beside it
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
    consumer: list[float] = field(default_factory=list)  # as above, of who puts them on the boards


def _drive(way: _Way, requests: Sequence[bytes], seconds: float) -> tuple[int, float, list[float]]:
    """How many were answered, the seconds for it, and the seconds of each.

    Every connection has one under way.
    """
    waiting = iter(requests)
    taken: list[float] = []
    with selectors.DefaultSelector() as selector:
        connections = [connect(way.port) for _ in range(way.connections)]
        began = time.perf_counter()
        for opened in connections:
            _send(selector, opened, waiting, register=True)
        while selector.get_map():
            for key, _ in selector.select(60):
                one = key.fileobj
                assert isinstance(one, socket.socket)
                sent_at, before, sent = key.data
                got = before + one.recv(1 << 20)
                if not _is_whole(got):
                    selector.modify(one, selectors.EVENT_READ, (sent_at, got, sent))
                    continue
                # what an overloaded machine answers: the same again, as the answer says
                if NOT_YET in got:
                    selector.modify(one, selectors.EVENT_READ, (sent_at, b"", sent))
                    one.sendall(sent)
                    continue
                taken.append(time.perf_counter() - sent_at)
                more = time.perf_counter() - began < seconds
                _send(selector, one, waiting if more else iter(()), register=False)
        spent = time.perf_counter() - began
        for opened in connections:
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
    """Whether all of it is there; ends the run for one that refuses a score."""
    head, gap, body = answer.partition(b"\r\n\r\n")
    if not gap:
        if not answer:
            raise SystemExit("the server closed the connection")
        return False
    length = LENGTH.search(head + b"\r\n")
    if length is None or not head.startswith(b"HTTP/1.1 20"):
        raise SystemExit(f"answered {answer[:600]!r}")
    if len(body) < int(length[1]):
        return False
    if REFUSED in body:
        raise SystemExit(f"refused: {body[body.index(REFUSED) :][:400]!r}")
    return True


def _bare(port: int, threads: int, servers: str) -> None:
    """Serves a view that gives each score to Kafka, and waits until it is there."""
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
def _process(settings: Settings, *arguments: str) -> Iterator[None]:
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
    with _process(settings, "benchmarks.submits", *arguments):
        wait_until_listening(port)
        yield port


def _addresses(settings: Settings) -> dict[str, str]:
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


def _until_stored(wanted: int) -> None:
    deadline = time.monotonic() + DRAIN_SECONDS
    while (found := _stored()) < wanted:
        if time.monotonic() > deadline:
            raise SystemExit(f"{wanted} scores were taken in, {found} are stored")
        time.sleep(0.02)
    if found > wanted:
        raise SystemExit(f"{wanted} scores were taken in, {found} are stored")


def _busy(process: str) -> float:
    """Seconds of processor time of our processes of that name so far."""
    running = [one for one in psutil.Process().children() if process in one.cmdline()]
    return float(sum(one.cpu_times().user + one.cpu_times().system for one in running))


def _measure(ways: Sequence[_Way], rounds: int, seconds: float) -> None:
    measured = {way.name: _Measured() for way in ways}
    expected = _stored()
    most = {way.name: 10 * way.connections for way in ways}
    for number in range(rounds + 1):
        for way in ways:
            requests = way.make(most[way.name])
            web, consumer = _busy(way.process), _busy(CONSUMER)
            began = time.perf_counter()
            count, spent, taken = _drive(way, requests, seconds)
            most[way.name] = int(2 * seconds * count / spent) + way.connections  # of the next round
            if way.floor != way.name:
                expected += count * way.scores
                _until_stored(expected)
            if number:  # the first round warms up
                one = measured[way.name]
                one.rates.append(count * way.scores / spent)
                one.on_boards.append(count * way.scores / (time.perf_counter() - began))
                one.taken += taken
                one.web.append((_busy(way.process) - web) / (count * way.scores))
                one.consumer.append((_busy(CONSUMER) - consumer) / (count * way.scores))
    print(
        "| scores sent in | connections | scores/s | on boards/s | p50 ms | p95 ms | ratio | web "
        "ms | consumer ms |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for way in ways:
        ours, floor = measured[way.name], measured[way.floor]
        ratio = statistics.median(
            one / beside for one, beside in zip(ours.rates, floor.rates, strict=True)
        )
        taken = sorted(ours.taken)
        p50, p95 = (f"{taken[int(len(taken) * part)] * 1000:.1f}" for part in (0.5, 0.95))
        boards = f"{statistics.median(ours.on_boards):.0f}" if way.floor != way.name else ""
        rate = f"{statistics.median(ours.rates):.0f}"
        cpu = " | ".join(
            f"{statistics.median(one) * 1000:.2f}" for one in (ours.web, ours.consumer)
        )
        print(
            f"| {way.name} | {way.connections} | {rate} | {boards} | {p50} | {p95} | {ratio:.2f} | "
            f"{cpu} |",
            flush=True,
        )


def _ways_of(world: World, port: int, floor: int, connections: int) -> list[_Way]:
    one, many = "bare Flask view, send and flush", f"bare Flask view, {BULK} sends and a flush"

    def plain(count: int) -> list[bytes]:
        return [post("/1", "none", 0, {"score": "x" * 250}, {})] * count

    def plain_bulk(count: int) -> list[bytes]:
        return [post(f"/{BULK}", "none", 0, {"scores": ["x" * 125] * BULK}, {})] * count

    few = min(BULK_CONNECTIONS, connections)
    return [
        _Way(one, one, plain, floor, connections),
        _Way("`POST /v1/scores`, committed", one, world.points, port, connections),
        _Way("a player's score, accepted", one, world.own("no"), port, connections),
        _Way("a player's score, committed", one, world.own("committed"), port, connections),
        _Way(many, many, plain_bulk, floor, few, BULK),
        _Way(f"bulk of {BULK}, accepted", many, world.bulk("no"), port, few, BULK),
        _Way(f"bulk of {BULK}, committed", many, world.bulk("committed"), port, few, BULK),
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
    given = parser.parse_args()
    if given.bare:
        _bare(given.bare, given.threads, os.environ["KAFKA_BOOTSTRAP_SERVERS"])
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as stack,
        create_app(replace(stack, kafka_in_memory=False)).app_context(),
    ):
        os.environ |= _addresses(stack)
        world = World(given.players, given.bulk_players)
        with (
            _process(stack, "workers.scores"),
            serving("uvicorn", stack) as port,
            _serving_bare(stack) as floor,
        ):
            ways = _ways_of(world, port, floor, given.connections)
            chosen = [way for way in ways if way.name == way.floor or given.only in way.name]
            _measure(chosen, given.rounds, given.seconds)


if __name__ == "__main__":
    main()
