"""Scores and readings of a leaderboard, beside Nakama and a bare Flask view on the same server.

`NAKAMA=PROGRAM python -m benchmarks.beside_nakama` starts stores of its own in a temporary folder,
one web process of `workers.web`, one `workers.scores`, the same server with a bare view, and the
program (heroiclabs/nakama) with a database of its own and a leaderboard that keeps each player's
best score. Nakama needs an extension of PostgreSQL that Debian's has (`/usr/lib/postgresql`), and
the embedded one has not. Without NAKAMA its rows are left out. Each is asked alone, in turn in
each round, over so many kept connections, for players' scores (answered when they are committed),
the top ten, and ten rows around a player. Printed: answers a second (medians of the rounds), the
50th, 95th and 99th percentile, and the median ratio to Nakama and to the bare view in the same
round.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import json
import os
import statistics
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from app import create_app
from app.embedded.postgres import Postgres
from app.embedded.stack import free_port
from app.settings import Settings
from benchmarks.load import request, serving_bare, wait_until_listening
from benchmarks.submits import drive, running, until_stored
from benchmarks.submitters import World
from workers.supervisor.start import running_stack

NAKAMA, PRESSBOX, BARE = "Nakama", "Pressbox", "bare Flask view"
COMMITTED, TOP, AROUND = "score committed", "top 10", "ten around a player"
LEADERBOARD = """
local nk = require("nakama")
nk.leaderboard_create("lb", false, "desc", "best")
"""
BOARD = "/v1/games/dice/modes/ranked/leaderboards/all-time"
MOST_A_SECOND = 6_000  # requests that are built for a round


@dataclass(frozen=True)
class Target:
    """Something that is asked of one of the servers; `make` builds so many requests."""

    server: str
    name: str
    port: int
    make: Callable[[int], Sequence[bytes]]


@dataclass
class Measured:
    """Answers a second by round, and the seconds of each answer."""

    rates: list[float] = field(default_factory=list)
    durations: list[float] = field(default_factory=list)

    def part(self, share: float) -> float:
        """Return the milliseconds within which that share of the answers came."""
        return sorted(self.durations)[int(len(self.durations) * share)] * 1000


class Nakama:
    """A running Nakama with players."""

    def __init__(self, port: int, players: int) -> None:
        self.port = port
        self._players = [self._sign_up(f"player-{number:05}") for number in range(players)]
        self._numbers = itertools.count(1)

    def _sign_up(self, name: str) -> tuple[str, str]:
        """Return the player's id and token."""
        key = base64.b64encode(b"defaultkey:").decode()
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v2/account/authenticate/custom?create=true",
            json.dumps({"id": name}).encode(),
            {"Authorization": f"Basic {key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(asked) as answer:  # noqa: S310 (an http address of of_pressbox)
            token = json.load(answer)["token"]
        claims = token.split(".")[1]
        player_id = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["uid"]
        return player_id, token

    def targets(self) -> list[Target]:
        """Return what is asked of it."""
        return [
            Target(NAKAMA, COMMITTED, self.port, self._scores),
            Target(NAKAMA, TOP, self.port, lambda count: [self._get("?limit=10", 0)] * count),
            Target(NAKAMA, AROUND, self.port, self._around),
        ]

    def _scores(self, count: int) -> list[bytes]:
        scores = []
        for number in itertools.islice(self._numbers, count):
            _, token = self._players[number % len(self._players)]
            body = json.dumps({"score": str(number % 1000)}).encode()
            head = f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n"
            scores.append(
                f"POST /v2/leaderboard/lb HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode() + body
            )
        return scores

    def _around(self, count: int) -> list[bytes]:
        ids = [player_id for player_id, _ in self._players]
        return [
            self._get(f"/owner/{ids[number % len(ids)]}?limit=10", number)
            for number in range(count)
        ]

    def _get(self, path: str, number: int) -> bytes:
        _, token = self._players[number % len(self._players)]
        return request(f"/v2/leaderboard/lb{path}", {"Authorization": f"Bearer {token}"})


@contextmanager
def running_nakama(program: Path, folder: Path, players: int) -> Iterator[Nakama]:
    """Run the program with a database of its own in this folder."""
    (folder / "logs").mkdir(parents=True)
    of_debian = min(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
    database = Postgres(folder, lambda _process: None, of_debian)
    database.start()
    sockets = database.owner_url.partition("host=")[2]
    address = f"postgres@localhost:5432/nakama?host={sockets}"
    (folder / "modules").mkdir()
    (folder / "modules" / "leaderboards.lua").write_text(LEADERBOARD)
    port = free_port()
    options = [
        *("--database.address", address),
        *("--runtime.path", str(folder / "modules")),
        *("--data_dir", str(folder / "data")),
        *("--socket.port", str(port), "--console.port", str(free_port())),
        *("--logger.level", "warn", "--session.token_expiry_sec", "86400"),
    ]
    try:
        with open(folder / "nakama.log", "ab") as log:
            subprocess.run(
                [program, "migrate", "up", "--database.address", address],
                check=True,
                stdout=log,
                stderr=log,
            )
            process = subprocess.Popen([program, *options], stdout=log, stderr=log)
        try:
            wait_until_listening(port)
            yield Nakama(port, players)
        finally:
            process.terminate()
            process.wait()
    finally:
        database.stop()


def targets_of_pressbox(world: World, port: int) -> list[Target]:
    """Return what is asked of Pressbox."""
    players = world.players

    def around(count: int) -> list[bytes]:
        return [
            request(f"{BOARD}?limit=10&around_player_id={players[number % len(players)]}", {})
            for number in range(count)
        ]

    return [
        Target(PRESSBOX, COMMITTED, port, world.own("committed")),
        Target(PRESSBOX, TOP, port, lambda count: [request(f"{BOARD}?limit=10", {})] * count),
        Target(PRESSBOX, AROUND, port, around),
    ]


def measure(
    targets: Sequence[Target], rounds: int, connections: int, seconds: float
) -> dict[Target, Measured]:
    """Ask every target in turn in each round, after a round that warms up."""
    measured = {target: Measured() for target in targets}
    stored = 0
    for number in range(rounds + 1):
        for target in targets:
            requests = target.make(int(MOST_A_SECOND * seconds))
            count, spent, durations = drive(target.port, connections, requests, seconds)
            if (target.server, target.name) == (PRESSBOX, COMMITTED):
                stored += count
                until_stored(stored)
            if number:
                measured[target].rates.append(count / spent)
                measured[target].durations += durations
    return measured


def show(measured: Mapping[Target, Measured]) -> None:
    """Print a row for each target."""
    print("| | server | a second | p50 ms | p95 ms | p99 ms | of Nakama | of the bare view |")
    print("|---|---|---|---|---|---|---|---|")
    by_name = {(target.server, target.name): figures for target, figures in measured.items()}
    bare = by_name[BARE, TOP]
    for target, figures in measured.items():
        ratios = " | ".join(
            "" if beside is None else f"{_ratio(figures, beside):.2f}"
            for beside in (by_name.get((NAKAMA, target.name)), bare)
        )
        parts = " | ".join(f"{figures.part(share):.1f}" for share in (0.5, 0.95, 0.99))
        rate = f"{statistics.median(figures.rates):.0f}"
        name = "" if target.server == BARE else target.name
        print(f"| {name} | {target.server} | {rate} | {parts} | {ratios} |", flush=True)


def _ratio(figures: Measured, beside: Measured) -> float:
    return statistics.median(
        rate / other for rate, other in zip(figures.rates, beside.rates, strict=True)
    )


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each target in each round")
    parser.add_argument("--players", type=int, default=300)
    parser.add_argument("--only", default="", help="a part of the targets' names")
    arguments = parser.parse_args()
    program = os.environ.get("NAKAMA")
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder) / "pressbox"), processes=False) as stack,
        create_app(stack).app_context(),
    ):
        # As `pressbox up` starts them: they find the stores, and know that they are embedded.
        os.environ |= {"PRESSBOX_VAR": str(stack.var), "TRUSTED_PROXIES": "1"}
        world = World(arguments.players, bulk_players=1)
        port = free_port()
        with (
            running(stack, "workers.scores"),
            running(stack, "workers.web", f"127.0.0.1:{port}"),
            serving_bare(stack.web_threads) as bare,
        ):
            wait_until_listening(port)
            targets = [
                *targets_of_pressbox(world, port),
                Target(BARE, TOP, bare, lambda count: [request("/", {})] * count),
            ]
            of_pressbox = [
                target
                for target in targets
                if target.server == BARE or arguments.only in target.name
            ]
            if program is None:
                show(
                    measure(of_pressbox, arguments.rounds, arguments.connections, arguments.seconds)
                )
                return
            with running_nakama(
                Path(program), Path(folder) / "nakama", arguments.players
            ) as nakama:
                of_nakama = [target for target in nakama.targets() if arguments.only in target.name]
                show(
                    measure(
                        [*of_nakama, *of_pressbox],
                        arguments.rounds,
                        arguments.connections,
                        arguments.seconds,
                    )
                )


if __name__ == "__main__":
    main()
