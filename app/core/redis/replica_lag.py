"""Measures how far the replicas of Redis that boards are read from are behind their primary.

A value is written to each primary and read from its replicas until they show it: so the lag is a
time, as a reader sees it, even while nothing else is written. The lag of the replica of PostgreSQL
is in core/postgres/read_replica.py.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, cast
from uuid import uuid4

import redis
from redis.cluster import RedisCluster
from redis.sentinel import SentinelConnectionPool

from app.core.redis.clients import (
    boards_read_from_replicas,
    boards_reader,
    boards_redis,
    connect_board_server,
    is_cluster,
)

LONGEST_SECONDS = 1.0  # a replica that is further behind is reported with this lag
KEY = "pressbox:heartbeat:{}"
_KEY_SECONDS = 60
_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.02


@dataclass(frozen=True)
class ReplicaLag:
    """A replica, as `host:port`, and the seconds until it showed what its primary had."""

    replica: str
    seconds: float


@dataclass(frozen=True)
class _Heartbeat:
    """A key, and the replicas (host and port) of the primary that holds it."""

    key: str
    replicas: Sequence[tuple[str, int]]


def replica_lags() -> list[ReplicaLag]:
    """Measure the lag of every replica that boards may be read from.

    Takes LONGEST_SECONDS per replica at most, or three times that for one that does not answer; it
    has that lag or more. Empty if boards are not read from replicas, or there are none.

    Raises:
        RedisAway: A primary, or every sentinel, does not answer.
    """
    if not boards_read_from_replicas():
        return []
    reader = boards_reader()
    if is_cluster(reader):
        heartbeats = _of_cluster(cast("RedisCluster", reader))
    else:
        pool = cast("SentinelConnectionPool", reader.connection_pool)
        replicas = pool.sentinel_manager.discover_slaves(pool.service_name)
        heartbeats = [_Heartbeat(KEY.format(0), replicas)]
    return [
        _measure(heartbeat.key, *replica)
        for heartbeat in heartbeats
        for replica in heartbeat.replicas
    ]


def _of_cluster(cluster: RedisCluster) -> list[_Heartbeat]:
    """Return a key of each primary with its replicas, without those that the cluster gave up."""
    # Asks a primary. To refresh its own map, redis-py asks any node, so it may wait for a replica
    # that is stuck, until the cluster has given that one up and it is not measured.
    topology = cast("dict[tuple[int, int], dict[str, Any]]", cluster.cluster_slots())
    replicas_of = {
        servers["primary"]: [
            (host or cluster.get_default_node().host, port) for host, port in servers["replicas"]
        ]
        for servers in topology.values()
    }
    keys: dict[tuple[str, int], str] = {}
    for number in itertools.count():
        if keys.keys() == replicas_of.keys():
            break
        key = KEY.format(number)
        slot = cluster.keyslot(key)
        for (first, last), servers in topology.items():
            if first <= slot <= last:
                keys.setdefault(servers["primary"], key)
    return [_Heartbeat(key, replicas_of[primary]) for primary, key in keys.items()]


def _measure(key: str, host: str, port: int) -> ReplicaLag:
    """Measure one replica; one after the other, so that none waits for another that is stuck."""
    value = uuid4().hex.encode()
    with closing(connect_board_server(host, port, timeout=LONGEST_SECONDS)) as replica:
        _shows(replica, key, value)  # connects
        boards_redis().set(key, value, ex=_KEY_SECONDS)
        written = time.monotonic()
        pause = _FIRST_PAUSE
        while not (is_shown := _shows(replica, key, value)):
            if time.monotonic() >= written + LONGEST_SECONDS:
                break
            time.sleep(pause)  # nothing announces that a replica has a value
            pause = min(2 * pause, _LONGEST_PAUSE)
        seconds = time.monotonic() - written
    return ReplicaLag(f"{host}:{port}", seconds if is_shown else max(seconds, LONGEST_SECONDS))


def _shows(client: redis.Redis, key: str, value: bytes) -> bool:
    """Whether the replica has the value; one that does not answer shows nothing."""
    try:
        return bool(client.get(key) == value)
    except redis.RedisError:
        return False
