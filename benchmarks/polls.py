"""An unchanged poll of each fragment, against a bare Flask view on the same server.

Goal: at least 0.6 of the bare view.

`python -m benchmarks.polls` starts stores of its own in a temporary folder, makes the demo season
and a board of 1,000, and serves it as production does: one web process of `workers.web` with its
usual threads, and beside it the same server with a Flask application of one view that answers 304.
A signed-in member polls the league table, a game, a board and the bell, with the ETag that the
fragment has, over so many connections, kept open where the server keeps them; each round asks the
bare view and every fragment in turn. Printed: answers a second (median of the rounds), the 50th and
95th percentile, and the median of the ratios to the bare view of the same round. An answer that is
not 304 ends the run. `--profile FRAGMENT` prints instead where one process spends the time of 2,000
such polls.
"""

from __future__ import annotations

import argparse
import cProfile
import http.client
import os
import pstats
import re
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlencode
from uuid import UUID

from flask import Flask, Response
from sqlalchemy import text

from app import create_app
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.catalogue.services import create_game, create_mode
from app.boards.layouts.board import open_board
from app.boards.rules import Held
from app.boards.windows.rules import ALL_TIME, window_of
from app.core import clock
from app.core.db import db
from app.demo.logins import DEMO_PASSWORD
from app.demo.seed import seed_demo
from app.embedded.stack import free_port
from app.settings import Settings
from benchmarks.load import wait_until_listening
from benchmarks.slow_clients import serving
from workers.supervisor.start import running_stack
from workers.web.server import bind, make_server

MEMBERS = 1_000  # on the board
BARE = "bare Flask view"
UNCHANGED = b"HTTP/1.1 304 "


def make_board(scores: int) -> str:
    """Create a board with so many scores and return its address."""
    game = create_game("bowl", "Bowl")
    assert not isinstance(game, list), game
    mode = create_mode(
        game, NewMode("ranked", "Ranked", "highest", "shared", 0, 10**6), clock.now()
    )
    assert not isinstance(mode, list), mode
    window = window_of(ALL_TIME, clock.now(), mode.calendar)
    spec = catalogue.spec_of(game, mode, catalogue.board_for(mode, window))
    db.session.commit()
    open_board(spec).load([(str(UUID(int=n)), Held(n, 0)) for n in range(1, scores + 1)])
    return f"/boards/bowl/ranked/{window.window_id}"


def make_world() -> dict[str, str]:
    """Create the world and return the address of each fragment by name."""
    seed_demo(lambda *_: None)
    played = db.session.scalar(text("SELECT id FROM games ORDER BY kickoff DESC, id LIMIT 1"))
    return {
        "league table": "/leagues/the-press-row",
        "game page": f"/games/{played}",
        "board": make_board(MEMBERS),
        "bell": "/notices/bell",
    }


def sign_in(port: int, username: str = "member") -> str:
    """Sign a member of the demo in and return their cookies."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/sign-in")
    answer = connection.getresponse()
    form = re.search(r'name="csrf_token"[^>]* value="([^"]+)"', answer.read().decode())
    assert form is not None
    fields = {"username": username, "password": DEMO_PASSWORD, "csrf_token": form[1]}
    headers = {"Cookie": _cookies(answer), "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/sign-in", urlencode(fields), headers)
    answer = connection.getresponse()
    answer.read()
    assert answer.status == HTTPStatus.SEE_OTHER, answer.status
    return _cookies(answer)


def _cookies(answer: http.client.HTTPResponse) -> str:
    return "; ".join(line.partition(";")[0] for line in answer.headers.get_all("Set-Cookie") or [])


def _poll_of(port: int, path: str, cookie: str) -> bytes:
    """Return the request with which a browser polls a fragment that it already shows."""
    headers = {"Cookie": cookie, "HX-Request": "true"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers=headers)
    fragment = connection.getresponse()
    fragment.read()
    assert fragment.status == HTTPStatus.OK, (path, fragment.status)
    return _request(path, headers | {"If-None-Match": str(fragment.headers["ETag"])})


def _request(path: str, headers: Mapping[str, str]) -> bytes:
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode()


def _ask(port: int, sent: bytes, connections: int, seconds: float) -> tuple[float, list[float]]:
    """Return answers per second, and the sorted seconds of each.

    Every connection has one request in progress.
    """
    taken: list[float] = []
    with selectors.DefaultSelector() as selector:
        began = time.perf_counter()
        for _ in range(connections):
            _send(selector, connect(port), sent)
        while time.perf_counter() - began < seconds:
            for key, _ in selector.select(60):
                polled = key.fileobj
                assert isinstance(polled, socket.socket)
                answer = polled.recv(65536)
                if not answer.startswith(UNCHANGED) or not answer.endswith(b"\r\n\r\n"):
                    raise SystemExit(f"answered {answer[:400]!r}")
                taken.append(time.perf_counter() - key.data)
                selector.unregister(polled)
                if b"\r\nConnection: close\r\n" in answer:
                    polled.close()
                    polled = connect(port)
                _send(selector, polled, sent)
        spent = time.perf_counter() - began
        for key in list(selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
    return len(taken) / spent, sorted(taken)


def connect(port: int) -> socket.socket:
    """Connect to the port without delayed sending."""
    opened = socket.create_connection(("127.0.0.1", port))
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


def _send(selector: selectors.BaseSelector, connection: socket.socket, sent: bytes) -> None:
    connection.sendall(sent)
    selector.register(connection, selectors.EVENT_READ, time.perf_counter())


def _bare(port: int, threads: int) -> None:
    """Serve one view without any of Pressbox's code."""
    app = Flask("bare")

    @app.get("/")
    def view() -> Response:
        return Response(status=HTTPStatus.NOT_MODIFIED)

    make_server(app, bind("127.0.0.1", port), slots=threads).run()


@contextmanager
def _serving_bare(threads: int) -> Iterator[int]:
    port = free_port()
    arguments = [
        sys.executable,
        "-m",
        "benchmarks.polls",
        "--bare",
        str(port),
        "--threads",
        str(threads),
    ]
    process = subprocess.Popen(arguments, cwd=Path(__file__).parent.parent, env=os.environ)
    try:
        wait_until_listening(port)
        yield port
    finally:
        process.terminate()
        process.wait()


def _measure(
    ways: Mapping[str, tuple[int, bytes]], rounds: int, connections: int, seconds: float
) -> None:
    rates: dict[str, list[float]] = {name: [] for name in ways}
    latencies: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, (port, sent) in ways.items():
            rate, taken = _ask(port, sent, connections, seconds)
            if number:  # the first round warms up
                rates[name].append(rate)
                latencies[name] += taken
    print("| poll, unchanged | answers/s | p50 ms | p95 ms | ratio |\n|---|---|---|---|---|")
    for name in ways:
        ratio = statistics.median(
            rate / floor for rate, floor in zip(rates[name], rates[BARE], strict=True)
        )
        taken = sorted(latencies[name])
        p50, p95 = (taken[int(len(taken) * part)] * 1000 for part in (0.5, 0.95))
        print(
            f"| {name} | {statistics.median(rates[name]):.0f} | {p50:.1f} | {p95:.1f} | "
            f"{ratio:.2f} |",
            flush=True,
        )


def _profile(settings: Settings, sent: bytes) -> None:
    """Print where the time of this poll goes: functions by cumulative cost."""
    app = create_app(settings)
    line, *lines = sent.decode().strip().split("\r\n")
    headers = dict(
        header_line.split(": ", 1) for header_line in lines if not header_line.startswith("Host")
    )
    client = app.test_client(use_cookies=False)
    path = line.split(" ")[1]
    for _ in range(50):
        assert client.get(path, headers=headers).status_code == HTTPStatus.NOT_MODIFIED
    with cProfile.Profile() as profiled:
        for _ in range(2_000):
            client.get(path, headers=headers)
    pstats.Stats(profiled).sort_stats("cumulative").print_stats(70)


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each poll in each round")
    parser.add_argument("--profile", metavar="FRAGMENT", help="for example bell")
    parser.add_argument("--bare", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=8, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.bare:
        _bare(arguments.bare, arguments.threads)
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as stack,
    ):
        with create_app(stack).app_context():
            paths = make_world()
        with serving("uvicorn", stack) as port, _serving_bare(stack.web_threads) as floor:
            cookie = sign_in(port)
            polls = {name: (port, _poll_of(port, path, cookie)) for name, path in paths.items()}
            if arguments.profile:
                _profile(stack, polls[arguments.profile][1])
                return
            ways = {BARE: (floor, _request("/", {"HX-Request": "true"})), **polls}
            _measure(ways, arguments.rounds, arguments.connections, arguments.seconds)


if __name__ == "__main__":
    main()
