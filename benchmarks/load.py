"""Requests pages over many kept connections, with a bare Flask view for comparison.

The benchmarks of pages share this; polls.py knows what an unchanged poll is.
"""

from __future__ import annotations

import os
import selectors
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from flask import Flask

from app.embedded.stack import free_port
from workers.web.server import bind, make_server

ROOT = Path(__file__).parent.parent
BARE = "bare Flask view"
PATIENCE_SECONDS = 60


@dataclass
class Figures:
    """Figures of one page: answers per second by round, and the seconds of each answer."""

    rates: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The median of the rounds' rates."""
        return statistics.median(self.rates)

    def part(self, share: float) -> float:
        """Return the milliseconds within which that share of the answers came."""
        return sorted(self.seconds)[int(len(self.seconds) * share)] * 1000

    def ratio(self, floor: Figures) -> float:
        """Return the median of the ratios of the same round."""
        return statistics.median(
            rate / bare for rate, bare in zip(self.rates, floor.rates, strict=True)
        )


def request(path: str, headers: Mapping[str, str]) -> bytes:
    """Return a GET of the path in bytes."""
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode()


def _ask(port: int, sent: bytes, connections: int, seconds: float) -> tuple[float, list[float]]:
    """Return answers per second, and the seconds that each took; one request per connection.

    Requests in progress after `seconds` are waited for and count too. Any answer but a 200 ends the
    benchmark.
    """
    taken: list[float] = []
    halves: dict[socket.socket, bytearray] = {}
    with selectors.DefaultSelector() as selector:
        began = time.perf_counter()
        for _ in range(connections):
            _send(selector, _connect(port), sent)
        while selector.get_map():
            for key, _ in selector.select(PATIENCE_SECONDS):
                connection = key.fileobj
                assert isinstance(connection, socket.socket)
                answer = halves.setdefault(connection, bytearray())
                answer += (received := connection.recv(1 << 18))
                if received and not _is_whole(answer):
                    continue
                taken.append(time.perf_counter() - key.data)
                selector.unregister(connection)
                if time.perf_counter() - began >= seconds:
                    connection.close()
                    continue
                if not received or b"\r\nConnection: close\r\n" in answer[:2_000]:
                    connection.close()
                    connection = _connect(port)
                halves[connection] = bytearray()
                _send(selector, connection, sent)
        spent = time.perf_counter() - began
    return len(taken) / spent, taken


def _is_whole(answer: bytearray) -> bool:
    """Whether the answer is complete; end the benchmark if it is not a 200 with a length."""
    head, separator, _ = answer.partition(b"\r\n\r\n")
    if not separator:
        return False
    length = next(
        (line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), None
    )
    if not head.startswith(b"HTTP/1.1 200 ") or length is None:
        raise SystemExit(f"answered {bytes(head)!r}")
    return len(answer) == len(head) + 4 + int(length.partition(b":")[2])


def _connect(port: int) -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


def _send(selector: selectors.BaseSelector, connection: socket.socket, sent: bytes) -> None:
    connection.sendall(sent)
    selector.register(connection, selectors.EVENT_READ, time.perf_counter())


def measure(
    ways: Mapping[str, tuple[int, bytes]], rounds: int, connections: int, seconds: float
) -> dict[str, Figures]:
    """Measure every way (port and request) in turn in each round, after a round that warms up."""
    figures = {name: Figures() for name in ways}
    for number in range(rounds + 1):
        for name, (port, sent) in ways.items():
            rate, taken = _ask(port, sent, connections, seconds)
            if number:
                figures[name].rates.append(rate)
                figures[name].seconds += taken
    return figures


def wait_until_listening(port: int) -> None:
    """Raises OSError when nobody listens there within PATIENCE_SECONDS."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            _connect(port).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)  # a server does not say that it listens: it has to be asked


@contextmanager
def serving_bare(threads: int) -> Iterator[int]:
    """Serve one Flask view that answers `ok` from a process with the same server."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.load", str(port), str(threads)], cwd=ROOT, env=os.environ
    )
    try:
        wait_until_listening(port)
        yield port
    finally:
        process.terminate()
        process.wait()


def _bare(arguments: Sequence[str]) -> None:
    app = Flask("bare")
    app.add_url_rule("/", view_func=lambda: "ok")
    port, threads = (int(argument) for argument in arguments)
    make_server(app, bind("127.0.0.1", port), slots=threads).run()


if __name__ == "__main__":
    _bare(sys.argv[1:])
