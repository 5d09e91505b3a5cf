"""What 200 half-sent requests and 1,000 idle streams cost everybody else, by web server.

    python -m benchmarks.slow_clients --servers uvicorn
    pip install gunicorn gevent granian
    python -m benchmarks.slow_clients --servers threads,uvicorn,gevent,granian

Every server runs the same application with as many threads as WEB_THREADS says, on stores started
for it. One page is asked for by eight clients that keep their connections, first alone, then beside
the half-sent requests.
"""

from __future__ import annotations

import argparse
import http.client
import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

from app import create_app
from app.accounts import api_keys, services
from app.accounts.api_keys import NewKey
from app.accounts.models import Integrator, Member
from app.embedded.stack import Stack, free_port
from app.scores.feed import hub as feed_hub
from app.settings import Settings
from workers.supervisor.prepare import bring_up_to_date

ROOT = Path(__file__).parent.parent
CLIENTS = 8
CLIENT_SECONDS = 10
STREAMS_PER_KEY = feed_hub.MAX_STREAMS_PER_INTEGRATOR
HALF_HEAD = b"GET /sign-in HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
HALF_BODY = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nusername="


def _command(server: str, port: int, threads: int) -> tuple[list[str], list[str]]:
    """Return the packages that a server needs, and the command that starts it."""
    gunicorn = [
        sys.executable,
        "-m",
        "gunicorn",
        "--bind",
        f"127.0.0.1:{port}",
        "--workers",
        "1",
        "app:create_app()",
    ]
    match server:
        case "uvicorn":
            return [], [sys.executable, "-m", "workers.web", f"127.0.0.1:{port}"]
        case "threads":
            return ["gunicorn"], [*gunicorn, "--threads", str(threads), "--no-control-socket"]
        case "gevent":
            return ["gunicorn", "gevent"], [
                *gunicorn,
                "--worker-class",
                "gevent",
                "--no-control-socket",
            ]
        case "granian":
            arguments = [
                "--interface",
                "wsgi",
                "--port",
                str(port),
                "--blocking-threads",
                str(threads),
            ]
            return ["granian"], [
                sys.executable,
                "-m",
                "granian",
                *arguments,
                "--factory",
                "app:create_app",
            ]
    raise SystemExit(f"--servers {server}: must be threads, uvicorn, gevent or granian")


@contextmanager
def serving(server: str, settings: Settings) -> Iterator[int]:
    """Serve Pressbox by that server, log into `settings.var`, and yield the port."""
    port = free_port()
    needs, arguments = _command(server, port, settings.web_threads)
    missing = [package for package in needs if importlib.util.find_spec(package) is None]
    if missing:
        raise SystemExit(f"--servers {server} needs `pip install {' '.join(missing)}`")
    environment = os.environ | {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "KAFKA_BOOTSTRAP_SERVERS": settings.kafka,
        "PRESSBOX_VAR": str(settings.var),
    }
    with open(settings.var / f"{server}.log", "ab") as log:
        process = subprocess.Popen(arguments, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)  # the server does not announce that it listens
        yield port
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _ask(port: int, path: str, requests: int) -> tuple[list[float], int, float]:
    """Return sorted latencies in seconds, the number of timeouts, and the whole time.

    An answer is in time within CLIENT_SECONDS.
    """
    latencies: list[float] = []
    lost: list[int] = []

    def client() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CLIENT_SECONDS)
        for _ in range(requests // CLIENTS):
            began = time.perf_counter()
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                if answer.status != HTTPStatus.OK:
                    raise SystemExit(f"{path} answered {answer.status}")
            except OSError:
                lost.append(1)
                connection.close()
                if len(lost) > CLIENTS:
                    return  # the server no longer answers
                continue
            latencies.append(time.perf_counter() - began)

    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(latencies), len(lost), time.perf_counter() - began


def _half_sent(port: int, count: int) -> list[socket.socket]:
    """Open connections that have sent half a head or half a body, in turn."""
    opened = []
    for number in range(count):
        connection = socket.create_connection(("127.0.0.1", port), timeout=CLIENT_SECONDS)
        connection.sendall(HALF_HEAD if number % 2 else HALF_BODY)
        opened.append(connection)
    return opened


def _make_keys(count: int) -> list[str]:
    """Create one integrator's key for each STREAMS_PER_KEY streams."""
    owner = services.register("streams", "Streams", "a long sentence to sign in", ["operator"])
    assert isinstance(owner, Member), owner
    keys = []
    for number in range(count):
        integrator = api_keys.create_integrator(f"Streams {number}", owner.id)
        assert isinstance(integrator, Integrator), integrator
        key = api_keys.create_key(integrator, "streams", ["feed:read"], owner)
        assert isinstance(key, NewKey), key
        keys.append(key.secret)
    return keys


def _idle_streams(port: int, keys: list[str], count: int) -> list[socket.socket]:
    """Open streams of the change feed and wait until each says that it is open."""
    opened = []
    for number in range(count):
        connection = socket.create_connection(("127.0.0.1", port), timeout=CLIENT_SECONDS)
        key = keys[number // STREAMS_PER_KEY]
        headers = f"Host: localhost\r\nAuthorization: Bearer {key}\r\n\r\n"
        connection.sendall(f"GET /v1/feed/events HTTP/1.1\r\n{headers}".encode())
        opened.append(connection)
    for connection in opened:
        if not connection.recv(64).startswith(b"HTTP/1.1 200 "):
            raise SystemExit("a stream was refused")
    return opened


def _close(connections: list[socket.socket]) -> None:
    for connection in connections:
        connection.close()


def _line(server: str, beside: int, latencies: list[float], lost: int, seconds: float) -> str:
    if not latencies:
        return f"{server:<9} {beside:>6} {0:>8} {lost:>6}         -        -        -"
    p50, p99 = (latencies[int(len(latencies) * part)] * 1000 for part in (0.5, 0.99))
    rate = len(latencies) / seconds
    return (
        f"{server:<9} {beside:>6} {len(latencies):>8} {lost:>6} {rate:>7.0f}/s {p50:>7.1f}ms "
        f"{p99:>7.1f}ms"
    )


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--servers", default="uvicorn")
    parser.add_argument("--half-sent", type=int, default=200)
    parser.add_argument("--streams", type=int, default=1000, help="idle, of the change feed")
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--path", action="append", help="default: /sign-in and /games")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Stack(Settings(var=Path(folder))) as stack:
        with create_app(stack.settings).app_context():
            bring_up_to_date(stack.settings)
            keys = _make_keys(-(-chosen.streams // STREAMS_PER_KEY))
        for path in chosen.path or ["/sign-in", "/games"]:
            print(f"\n{path}\nserver    beside   served   lost      rate      p50      p99")
            for server in chosen.servers.split(","):
                with serving(server, stack.settings) as port:
                    _ask(port, path, 200)
                    print(_line(server, 0, *_ask(port, path, chosen.requests)), flush=True)
                    opened = _half_sent(port, chosen.half_sent)
                    print(
                        _line(server, chosen.half_sent, *_ask(port, path, chosen.requests)),
                        flush=True,
                    )
                    _close(opened)
                    if server != "uvicorn":
                        continue  # the others hold a thread for each stream
                    opened = _idle_streams(port, keys, chosen.streams)
                    print(_line("streams", len(opened), *_ask(port, path, chosen.requests)))
                    _close(opened)


if __name__ == "__main__":
    main()
