"""Boards behind sentinels.

Where they are written and read, and what happens when the primary dies.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from app.core.redis import clients
from app.core.redis.clients import RedisAway, boards_reader, boards_redis
from tests.cluster.valkey.servers import Server, Watched, valkey_under_sentinel
from tests.waiting import until

pytestmark = [pytest.mark.fault(15), pytest.mark.smoke]


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    """Servers of the test's own: one test kills the primary."""
    with valkey_under_sentinel(tmp_path, "boards") as watched:
        yield watched


def _app(boards_url: str, *, read_replicas: bool = False) -> Flask:
    app = Flask(__name__)
    clients.init_app(app, "redis://127.0.0.1:1", boards_url, read_replicas=read_replicas)
    return app


def _reads(server: Server) -> int:
    """How many GETs it has answered."""
    return int(server.client.info("commandstats").get("cmdstat_get", {}).get("calls", 0))


def test_boards_are_read_from_a_replica_only_where_that_is_wanted(watched: Watched) -> None:
    for from_replica in (False, True):
        with _app(watched.url, read_replicas=from_replica).app_context():
            before = _reads(watched.replica)
            boards_redis().set("who", "ann")
            boards_redis().get("who")
            assert _reads(watched.replica) == before
            boards_reader().get("who")
            assert _reads(watched.replica) == before + from_replica


def test_after_the_primarys_death_the_same_client_writes_to_the_new_one(watched: Watched) -> None:
    with _app(watched.url, read_replicas=True).app_context():
        boards_redis().set("last", "words")
        until(lambda: boards_redis().wait(1, 1000) == 1, "the replica has it")
        boards_reader().get("last")
        watched.primary.kill()
        with pytest.raises(RedisAway):
            boards_redis().set("who", "nobody")

        def writes() -> bool:
            try:
                return bool(boards_redis().set("who", "sue"))
            except RedisAway:
                return False

        until(writes, "a replica took over")
        assert watched.replica.client.get("who") == b"sue"
        assert (boards_redis().get("last"), boards_reader().get("who")) == (b"words", b"sue")


def test_a_primary_that_must_not_write_without_its_replicas_is_away(watched: Watched) -> None:
    with _app(watched.url).app_context():
        watched.primary.client.config_set("min-replicas-to-write", 5)
        with pytest.raises(RedisAway):
            boards_redis().set("who", "ann")
        watched.primary.client.config_set("min-replicas-to-write", 0)
        assert boards_redis().set("who", "ann")


@pytest.mark.parametrize(
    "url", ["redis+cluster://127.0.0.1:{}", "redis+sentinel://127.0.0.1:{}/boards/0"]
)
def test_boards_that_are_away_do_not_keep_pressbox_from_starting(
    url: str, nobody_listens: int
) -> None:
    with _app(url.format(nobody_listens), read_replicas=True).app_context():
        for client in (boards_redis, boards_reader):
            with pytest.raises(RedisAway):
                client().get("who")
