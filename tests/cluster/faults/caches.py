"""Faults of the Redis servers: of jobs and caches, and of the boards' cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from tests.cluster.faults.fault import Breaks
from tests.cluster.pressbox import Pressbox
from tests.waiting import rest, until

Command = tuple[str, ...]


@contextmanager
def jobs_emptied(box: Pressbox, chance: Random) -> Iterator[None]:
    """The Redis of jobs and caches dies and comes back with nothing."""
    box.machines.jobs.kill()
    yield
    rest(3)
    box.machines.jobs.revive()


@contextmanager
def shard_lost(box: Pressbox, chance: Random) -> Iterator[None]:
    """A primary of the boards' cluster dies.

    Its replica takes its slots, and it comes back as a replica.
    """
    boards = box.machines.boards
    server = boards.servers[0] if boards.servers[0].is_primary() else boards.servers[3]
    server.kill()
    yield
    until(boards.is_ok, "the cluster is ok without it", seconds=60)
    server.revive()


@contextmanager
def boards_evicted(box: Pressbox, chance: Random) -> Iterator[None]:
    """Every server of the boards runs out of memory and throws keys away."""
    servers = box.machines.boards.servers
    for server in servers:
        server.client.config_set("maxmemory-policy", "allkeys-random")
        server.client.config_set("maxmemory", server.client.info("memory")["used_memory"] - 100_000)
    yield
    rest(3)
    for server in servers:
        server.client.config_set("maxmemory", 0)
        server.client.config_set("maxmemory-policy", "noeviction")


def jobs_take_no_writes(begin: Command, end: Command) -> Breaks:
    """The Redis of jobs and caches answers and takes no writes between these two commands."""

    @contextmanager
    def breaks(box: Pressbox, chance: Random) -> Iterator[None]:
        client = box.machines.jobs.client
        yield
        client.execute_command(*begin)
        rest(6)
        client.execute_command(*end)

    return breaks


@contextmanager
def jobs_hang(box: Pressbox, chance: Random) -> Iterator[None]:
    """The Redis of jobs and caches stops where it is, its connections open."""
    yield
    box.machines.jobs.pause()
    rest(6)
    box.machines.jobs.resume()
