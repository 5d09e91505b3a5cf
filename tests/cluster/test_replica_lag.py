"""How far the replicas of Redis are behind, as a reader of boards sees it."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from app.core.redis import clients
from app.core.redis.replica_lag import LONGEST_SECONDS, replica_lags
from tests.cluster.valkey.servers import valkey_cluster, valkey_under_sentinel
from tests.waiting import until

pytestmark = pytest.mark.smoke


def _app(boards_url: str, *, read_replicas: bool = True) -> Flask:
    app = Flask(__name__)
    clients.init_app(app, "redis://127.0.0.1:1", boards_url, read_replicas=read_replicas)
    return app


def test_the_lag_is_the_time_until_a_reader_sees_a_write(tmp_path: Path) -> None:
    with valkey_under_sentinel(tmp_path, "boards") as watched, _app(watched.url).app_context():
        (lag,) = replica_lags()
        assert lag.replica == f"127.0.0.1:{watched.replica.port}"
        assert 0 < lag.seconds < LONGEST_SECONDS
        # It still answers its readers, with what it had.
        watched.primary.client.config_set("masterauth", "")
        watched.replica.client.config_set("masteruser", "nobody")
        watched.replica.client.config_set("masterauth", "wrong")
        watched.primary.client.client_kill_filter(_type="replica")
        until(lambda: not watched.replica.follows(), "the replica is cut off")
        (lag,) = replica_lags()
        assert lag.seconds >= LONGEST_SECONDS


def test_every_replica_of_a_cluster_is_measured(tmp_path: Path) -> None:
    with valkey_cluster(tmp_path) as cluster, _app(cluster.url).app_context():
        lags = replica_lags()
        replicas = {f"127.0.0.1:{server.port}" for server in cluster.servers[3:]}
        assert {lag.replica for lag in lags} == replicas
        assert all(0 < lag.seconds < LONGEST_SECONDS for lag in lags)


def test_a_replica_that_is_stuck_does_not_make_the_others_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with valkey_cluster(tmp_path) as cluster, _app(cluster.url).app_context():
        replica_lags()  # connects the clients of the cluster
        stuck = cluster.replica_of(cluster.servers[0])
        # redis-py refreshes its map from a node by chance
        monkeypatch.setattr(
            "redis.cluster.random.shuffle",
            lambda nodes: nodes.sort(key=lambda node: node.port != stuck.port),
        )
        stuck.pause()
        try:
            lags = {lag.replica: lag.seconds for lag in replica_lags()}
        finally:
            stuck.resume()
        assert lags.pop(f"127.0.0.1:{stuck.port}") >= LONGEST_SECONDS
        assert len(lags) == 2
        assert max(lags.values()) < LONGEST_SECONDS


def test_boards_that_are_read_from_the_primary_have_no_replica(tmp_path: Path) -> None:
    with valkey_under_sentinel(tmp_path, "boards") as watched:
        with _app(watched.url, read_replicas=False).app_context():
            assert replica_lags() == []
        assert not watched.primary.client.keys("pressbox:heartbeat*"), "nothing was written"
    with _app("redis://127.0.0.1:1").app_context():
        assert replica_lags() == []
