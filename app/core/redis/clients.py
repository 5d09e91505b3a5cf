"""Redis clients: one for jobs and caches, one for boards (the same server unless set otherwise).

The boards may be on one server, behind sentinels or on a cluster (urls.py), and be read from
replicas. Everything in Redis can be rebuilt; a reader that finds it unavailable falls back to
PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from hashlib import sha1
from typing import Any, cast

import redis
from flask import Flask, current_app
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, CommandsParser, LoadBalancingStrategy, RedisCluster
from redis.exceptions import (
    ClusterError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    TryAgainError,
)
from redis.retry import Retry
from redis.sentinel import Sentinel

from app.core.redis.connections import (
    PATIENCE,
    TIMEOUTS,
    NotPersistedError,
    Parser,
    connect,
)
from app.core.redis.urls import CLUSTER, ManyServers, parse

# The server answers, but takes no writes: a replica after a failover, a full memory, a full disk.
TakesNoWrites = (ReadOnlyError, OutOfMemoryError, NotPersistedError)
# Callers catch these errors to fall back: the server is unavailable, too slow or takes no writes,
# as opposed to a wrong command. Sentinel raises ConnectionErrors, and so does a cluster if no node
# answers (_away). ClusterError and TryAgainError are a cluster that is down, or a slot that is
# moving to another node.
RedisAway = (
    redis.ConnectionError,
    redis.TimeoutError,
    ClusterError,
    TryAgainError,
    *TakesNoWrites,
)

CLUSTER_RETRIES = 3  # each after reloading which node holds which slots


class _PoolOfNode(redis.ConnectionPool):
    """Connections to a node of a cluster: RedisCluster passes no `parser_class` on."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, parser_class=Parser)


def connect_boards(url: str, *, replicas: bool = False) -> redis.Redis:
    """Return a client of the server, sentinels or cluster at `url`.

    With `replicas`, the client is for reads only, whose data may be a little behind. With
    sentinels, reads go to replicas, or to the master if there are none. On a cluster they go to
    replicas and primaries in turn, so that they continue when one of them dies. A client of a
    cluster connects at once, and may raise RedisAway.
    """
    many = parse(url)
    if many is None:
        return connect(url)
    return _cluster(many, replicas) if many.kind == CLUSTER else _behind_sentinels(many, replicas)


def _login(many: ManyServers) -> dict[str, Any]:
    return {"username": many.username, "password": many.password}


def _behind_sentinels(many: ManyServers, replicas: bool) -> redis.Redis:
    # redis-py would try ten times, for seconds; there are other sentinels
    once = Retry(NoBackoff(), 0)
    sentinel = Sentinel(
        many.hosts,
        sentinel_kwargs={**PATIENCE, "socket_timeout": 1, "ssl": many.tls, "retry": once},
    )
    client_of = sentinel.slave_for if replicas else sentinel.master_for
    client: redis.Redis = client_of(
        many.master, db=many.db, ssl=many.tls, retry=once, **_login(many), **TIMEOUTS
    )
    return client


class _KeysOfFunctions(CommandsParser):
    """Finds the keys of a function call without asking the server.

    Otherwise redis-py asks the server for them twice per call.
    """

    def get_keys(self, redis_conn: Any, *args: Any) -> Any:
        if args[0] in ("FCALL", "FCALL_RO"):
            return args[3 : 3 + int(args[2])]
        return super().get_keys(redis_conn, *args)


def _away(ask: Callable[..., Any]) -> Callable[..., Any]:
    """Raise redis.ConnectionError for RedisClusterException, which is not a RedisError."""

    @wraps(ask)
    def asked(*args: Any, **kwargs: Any) -> Any:
        try:
            return ask(*args, **kwargs)
        except RedisClusterException as error:
            raise redis.ConnectionError(str(error)) from error

    return asked


def _cluster(many: ManyServers, replicas: bool) -> redis.Redis:
    (host, port), *others = many.hosts
    client = _away(RedisCluster)(
        # only with an address does RedisCluster use the class of pool that it is given
        url=f"{'rediss' if many.tls else 'redis'}://{f'[{host}]' if ':' in host else host}:{port}",
        startup_nodes=[ClusterNode(*other) for other in others],
        connection_pool_class=_PoolOfNode,
        require_full_coverage=False,  # a missing node affects only its part of the boards
        load_balancing_strategy=LoadBalancingStrategy.ROUND_ROBIN if replicas else None,
        retry=Retry(NoBackoff(), CLUSTER_RETRIES),
        **_login(many),
        **PATIENCE,
    )
    nodes = client.nodes_manager
    nodes.initialize, nodes.get_node_from_slot = (
        _away(nodes.initialize),
        _away(nodes.get_node_from_slot),
    )
    client.commands_parser = _KeysOfFunctions(client)
    # The boards only use what both classes have: commands on the keys of one part, and pipelines.
    return cast("redis.Redis", client)


def is_cluster(client: redis.Redis) -> bool:
    """Whether keys may lie on different servers, so that no transaction spans them."""
    return isinstance(client, RedisCluster)


class _Boards:
    """The clients of the boards, created on first use so that we can start without the cluster."""

    def __init__(
        self, make: Callable[[bool], redis.Redis], many: ManyServers | None, *, replicas: bool
    ) -> None:
        self._make, self._replicas = make, replicas
        self.many = many
        self._clients: dict[bool, redis.Redis] = {}

    @property
    def read_from_replicas(self) -> bool:
        return self._replicas and self.many is not None

    def client(self, *, reads: bool) -> redis.Redis:
        replicas = reads and self._replicas
        if replicas not in self._clients:  # two threads may make one each; one of them is kept
            self._clients.setdefault(replicas, self._make(replicas))
        return self._clients[replicas]


def init_app(app: Flask, redis_url: str, boards_url: str, *, read_replicas: bool = False) -> None:
    """Create the clients. The client of the boards connects when it is first used."""
    app.extensions["redis"] = connect(redis_url)
    same = boards_url == redis_url
    many = parse(boards_url)
    app.extensions["redis_is_one"] = same and many is None
    app.extensions["redis_boards"] = _Boards(
        lambda replicas: (
            app.extensions["redis"] if same else connect_boards(boards_url, replicas=replicas)
        ),
        many,
        replicas=read_replicas,
    )


def jobs_redis() -> redis.Redis:
    """Return the client for jobs and caches."""
    client: redis.Redis = current_app.extensions["redis"]
    return client


def run_script(
    client: redis.Redis, source: str, keys: Sequence[str], arguments: Sequence[Any]
) -> Any:
    """Run the Lua script and return its result. The script is sent only if the server lacks it.

    Raises redis.RedisError.
    """
    digest = sha1(source.encode(), usedforsecurity=False).hexdigest()
    try:
        return client.execute_command("EVALSHA", digest, len(keys), *keys, *arguments)
    except NoScriptError:
        return client.execute_command("EVAL", source, len(keys), *keys, *arguments)


def boards_are_beside_jobs() -> bool:
    """Whether one server holds both jobs and boards, so that one round trip can reach both."""
    return bool(current_app.extensions["redis_is_one"])


def boards_redis() -> redis.Redis:
    """Return the client that writes boards, and reads them for decisions. Raises RedisAway."""
    boards: _Boards = current_app.extensions["redis_boards"]
    return boards.client(reads=False)


def boards_reader() -> redis.Redis:
    """Return the client for showing boards, which uses replicas if BOARDS_READ_REPLICAS says so.

    Replicas may lag a little, so no write may depend on these reads. Raises RedisAway.
    """
    boards: _Boards = current_app.extensions["redis_boards"]
    return boards.client(reads=True)


def boards_read_from_replicas() -> bool:
    """Whether `boards_reader` uses replicas where there are some."""
    boards: _Boards = current_app.extensions["redis_boards"]
    return boards.read_from_replicas


def connect_board_server(host: str, port: int, *, timeout: float) -> redis.Redis:
    """Return a client of one of the boards' servers, for reads of what this server has.

    Needs boards on several servers. `timeout` is in seconds, for connecting and for an answer.
    """
    boards: _Boards = current_app.extensions["redis_boards"]
    many = boards.many
    assert many is not None
    return redis.Redis(
        host,
        port,
        db=many.db,
        ssl=many.tls,
        socket_connect_timeout=timeout,
        socket_timeout=timeout,
        # otherwise a replica of a cluster sends its reader to the primary
        redis_connect_func=cast("Any", _read_only) if many.kind == CLUSTER else None,
        retry=Retry(NoBackoff(), 0),
        **_login(many),
    )


def _read_only(connection: Any) -> None:
    connection.on_connect()
    connection.send_command("READONLY")
    connection.read_response()
