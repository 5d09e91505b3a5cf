"""The boards on a Valkey cluster of three primaries and three replicas.

The same answers as anywhere, and a death.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from itertools import count

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.exceptions import RedisError

from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.layouts.balance import rebalance
from app.boards.layouts.board import apply_all, open_board
from app.boards.layouts.ranged import NOWHERE, RangeBoard
from app.boards.rules import SECOND, Aggregation, Attempt, Held, Ties
from app.boards.spec import HASH, RANGE, BoardSpec
from app.boards.verification.rebuild import rebuild
from app.boards.windows.rules import parse_window
from app.core import clock
from app.core.db import db
from app.core.redis import clients
from app.core.redis.clients import RedisAway, boards_redis
from tests.boards.plain import PlainBoard
from tests.boards.test_model import ORIGIN, STEP, Both, assert_alike, play
from tests.boards.test_moving import PLAYERS, assert_whole, board, spec, stored, write
from tests.boards.test_ranged import assert_lies_as_cut, budget, unlocked
from tests.cluster.valkey.servers import PRIMARIES, Cluster, Server, valkey_cluster
from tests.sizes import size
from tests.waiting import until
from tests.worlds.boards import fill
from tests.worlds.score_games import make_score_game, make_score_mode

pytestmark = pytest.mark.smoke

LAYOUTS = [(HASH, 1), (HASH, 4), (RANGE, 5)]
# Of each of nine kinds of board: the work itself is tried on one server.
SEQUENCES = size("PRESSBOX_CLUSTER_SEQUENCES", 5, 20)
NUMBERS = count(1)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with valkey_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def on_cluster(app: Flask, cluster: Cluster) -> Iterator[None]:
    """The application with its boards on the cluster, which is whole and empty."""
    until(cluster.is_whole, "the cluster has come through the test before")
    before = {name: client for name, client in app.extensions.items() if name.startswith("redis")}
    try:
        _use(app, cluster)
        boards_redis().flushall()
        yield
    finally:
        app.extensions.update(before)


def _use(app: Flask, cluster: Cluster, *, read_replicas: bool = False) -> None:
    jobs = app.extensions["redis"]
    clients.init_app(app, "redis://127.0.0.1:1", cluster.url, read_replicas=read_replicas)
    app.extensions["redis"] = jobs


def _replicated() -> None:
    """All that was written is on the replicas: each primary says so for itself."""
    for node in boards_redis().get_primaries():
        until(lambda node=node: node.redis_connection.wait(1, 1000) >= 1, "the replica has it")


@pytest.mark.parametrize("ties", list(Ties))
def test_every_layout_answers_alike_from_primaries_and_from_replicas(
    app: Flask, on_cluster: None, cluster: Cluster, ties: Ties
) -> None:
    chance = random.Random(5)  # noqa: S311  (a fixed draw, not a secret)
    standings = {
        f"m{n}": Held(chance.randrange(-40, 40), ORIGIN + n % 50 * SECOND) for n in range(400)
    }
    specs = [
        BoardSpec(
            "game",
            "mode",
            f"{layout}{shards}",
            ties=ties,
            budget=budget(ties),
            layout=layout,
            shards=shards,
        )
        for layout, shards in LAYOUTS
    ]
    for board_spec in specs:
        assert open_board(board_spec).load(standings.items()) == 400
    plain = PlainBoard(specs[0], standings)
    for replicas in (False, True):
        _replicated()
        _use(app, cluster, read_replicas=replicas)
        for board_spec in specs:
            board = open_board(board_spec)
            assert board.page(0, 400) == plain.page(0, 400)
            assert board.standings(standings) == plain.standings(standings)
            for member, offset, score in (("m3", 0, 0), ("m200", 390, 7), ("nobody", 77, -39)):
                assert board.view(offset, 25, member, 4) == plain.view(offset, 25, member, 4)
                assert board.band(score - 5, score, 2, 30) == plain.band(score - 5, score, 2, 30)
                assert board.rank_of_score(score) == plain.rank_of_score(score)
    replicas = [server for server in cluster.servers if not server.is_primary()]
    assert sum(_calls(server, "fcall_ro") for server in replicas) > 0, "replicas were asked"


def _primaries(cluster: Cluster) -> list[Server]:
    """The servers that are primaries now.

    In a test before this one replicas may have taken over.
    """
    return [server for server in cluster.servers if server.is_primary()]


def _calls(server: Server, command: str) -> int:
    return int(server.client.info("commandstats").get(f"cmdstat_{command}", {}).get("calls", 0))


@pytest.mark.sized
@pytest.mark.parametrize("ties", list(Ties))
@pytest.mark.parametrize("aggregation", list(Aggregation))
def test_any_sequence_gives_the_board_of_plain_python(
    on_cluster: None, aggregation: Aggregation, ties: Ties
) -> None:
    @settings(
        max_examples=SEQUENCES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(steps=st.lists(STEP, max_size=20), layout=st.sampled_from(LAYOUTS))
    def sequence(steps: list[tuple[object, ...]], layout: tuple[str, int]) -> None:
        board_spec = BoardSpec(
            "model", "mode", f"w{next(NUMBERS)}", aggregation, ties, budget(ties), *layout
        )
        both = Both(open_board(board_spec))
        play(both, steps)
        assert_alike(both)

    sequence()


def test_a_board_is_spread_over_the_nodes_and_made_even_there(
    on_cluster: None, cluster: Cluster
) -> None:
    opened = open_board(
        BoardSpec("game", "mode", "all-time", ties=Ties.DENSE, layout=RANGE, shards=6)
    )
    assert isinstance(opened, RangeBoard)
    opened.set_split_points([NOWHERE] * 5)
    standings = {f"m{n}": Held(n // 3, 0) for n in range(1500)}
    opened.load(standings.items())
    assert rebalance(opened, unlocked) > 0
    assert_lies_as_cut(opened)
    assert opened.page(700, 200) == PlainBoard(opened.spec, standings).page(700, 200)
    assert all(server.client.dbsize() > 1 for server in _primaries(cluster))


def test_a_published_table_replaces_an_older_one_and_drop_leaves_nothing(
    on_cluster: None, cluster: Cluster
) -> None:
    opened = open_board(BoardSpec("game", "mode", "week-1"))
    assert opened.publish(2, {"7": 3, "8": 4})
    assert not opened.publish(1, {"7": 99})
    assert opened.published() == (2, {"8": 4, "7": 3})
    opened.drop()
    assert [server.client.dbsize() for server in _primaries(cluster)] == [0] * PRIMARIES


def test_a_node_that_lost_the_library_gets_it_again_and_the_others_count_once(
    on_cluster: None, cluster: Cluster
) -> None:
    opened = open_board(BoardSpec("game", "mode", "all-time", Aggregation.SUM, shards=12))
    opened.put({"a": Held(1, 0)})
    _primaries(cluster)[1].client.function_flush()
    applied = apply_all([(opened, f"m{n}", Attempt(1, f"e{n}", 5)) for n in range(60)])
    assert {(change.outcome, change.score) for change in applied} == {("counted", 5)}


def test_a_call_does_not_ask_the_server_where_its_keys_are(
    on_cluster: None, cluster: Cluster
) -> None:
    opened = open_board(BoardSpec("game", "mode", "all-time", shards=4))
    opened.put({f"m{n}": Held(n, 0) for n in range(20)})
    opened.page(0, 20)
    assert [_calls(server, "command|getkeys") for server in cluster.servers] == [0] * len(
        cluster.servers
    )


@pytest.mark.parametrize(("layout", "shards"), [(RANGE, 4), (HASH, 4)])
def test_after_a_primarys_death_only_what_was_not_replicated_is_lost_and_postgresql_restores_it(
    on_cluster: None, cluster: Cluster, layout: str, shards: int
) -> None:
    new = NewMode("career", "Career", "sum", "dense", -1_000, 1_000, layout=layout, shards=shards)
    mode = make_score_mode(make_score_game(), new)
    record = catalogue.board_for(mode, parse_window("all-time", "UTC"))
    standings = {player: Held(number % 40, 0, player) for number, player in enumerate(PLAYERS)}
    fill(record, spec(mode, record), standings)
    db.session.commit()
    opened_board = board(record.id)
    opened_board.load(standings.items())
    write(record.id, {player: Attempt(5, f"kept-{player}", 3) for player in PLAYERS[:50]})
    _replicated()
    before = {
        player: standing.score for player, standing in opened_board.standings(PLAYERS[:100]).items()
    }

    dying = cluster.primary_of(opened_board.parts[-1].ranking)
    heir = cluster.replica_of(dying)
    os.kill(heir.process.pid, signal.SIGSTOP)
    # so that nothing waits for the heir in a buffer
    dying.client.client_kill_filter(_type="replica")
    write(record.id, {player: Attempt(6, f"lost-{player}", 100) for player in PLAYERS[100:150]})
    assert dying.client.wait(1, 1) == 0
    assert_whole(record.id)
    dying.kill()
    os.kill(heir.process.pid, signal.SIGCONT)
    with pytest.raises(RedisAway):
        opened_board.page(0, 200)
    until(lambda: heir.is_primary() and cluster.is_ok(), "the replica has taken over")

    assert {
        player: standing.score for player, standing in opened_board.standings(PLAYERS[:100]).items()
    } == before
    assert opened_board.page(0, 200) != PlainBoard(opened_board.spec, stored(record.id)).page(
        0, 200
    ), "some was not replicated"
    rebuild(record.id, clock.now())
    assert_whole(record.id)
    write(record.id, {PLAYERS[0]: Attempt(9, "after", 1)})
    assert_whole(record.id)
    dying.revive()
    until(
        lambda: not dying.is_primary() and dying.follows() and cluster.is_ok(),
        "it came back as a replica",
    )


def test_a_cluster_that_must_not_write_without_its_replicas_is_away(
    on_cluster: None, cluster: Cluster
) -> None:
    opened = open_board(BoardSpec("game", "mode", "all-time", shards=4))
    opened.put({"a": Held(1, 0)})
    for server in cluster.servers:
        server.client.config_set("min-replicas-to-write", 5)
    with pytest.raises(RedisAway):
        opened.put({"a": Held(2, 0)})
    assert opened.standings(["a"])["a"].score == 1
    for server in cluster.servers:
        server.client.config_set("min-replicas-to-write", 0)
    opened.put({"a": Held(2, 0)})
    assert opened.standings(["a"])["a"].score == 2


def test_a_cluster_that_is_dead_altogether_is_away(on_cluster: None, cluster: Cluster) -> None:
    opened = open_board(BoardSpec("game", "mode", "all-time", shards=4))
    opened.put({"a": Held(1, 0)})
    for server in cluster.servers:
        server.kill()
    for _ in range(2):
        with pytest.raises(RedisAway) as caught:
            opened.put({"a": Held(2, 0)})
        assert isinstance(caught.value, RedisError), "whoever catches those catches this"
        with pytest.raises(RedisAway):
            opened.standings(["a"])
    for server in cluster.servers:
        server.revive()
    until(cluster.is_whole, "the cluster is there again for the next test")
