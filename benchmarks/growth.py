"""How the cost of a touchdown grows with team sheets, and what shards of members bring.

Each shard has a worker of its own.

`python -m benchmarks.growth` makes the world of benchmarks.live_teams with `--sizes` sheets, one
after the other, and the largest again in `--shards` equal parts: each with a process, PostgreSQL
and Valkey of its own, all refreshed in the same moment. Timed are a touchdown by the star whom 40 %
own and one by somebody whom few own: the slowest shard's seconds, and the processor seconds of all
workers and Valkeys together, medians of the rounds. Every total of every shard is compared with the
plain rule in the end; a wrong one ends the run with an error.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil

from app import create_app
from app.core.postgres.timeouts import Use
from app.fantasy.gameweeks.live import refresh_behind, refresh_gameweek
from app.settings import Settings
from benchmarks.live_teams import NOW, World, check, club, make_world, touchdown
from benchmarks.processes import belonging_to, name_of
from workers.supervisor.start import running_stack

PATIENCE_SECONDS = 1200.0  # until the slowest shard arrives
YARDS = 60  # another touchdown each round


class _Play(NamedTuple):
    """One shard's part of a play; `touched` is the number of sheets that own the footballer."""

    is_stars: bool
    touched: int
    seconds: float
    processor: float


def _somebody(world: World) -> int:
    """Return the footballer of the star's club with the fewest owners, but at least one."""
    owners = np.bincount(world.owned.ravel(), minlength=int(world.owned.max()) + 1)
    of_club = [
        n
        for n in np.flatnonzero(owners).tolist()
        if n != world.star and club(n) == club(world.star)
    ]
    return min(of_club, key=lambda n: int(owners[n]))


def _shard(count: int, seed: int, rounds: int, together: Barrier, into: Any) -> None:
    """Run one shard: its plays begin together with the other shards', and go to `into`."""
    with (
        tempfile.TemporaryDirectory(prefix="pressbox-growth-") as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as settings,
        # Connect as the owner of the tables, who may vacuum them.
        create_app(replace(settings, database_url=settings.owner_url), Use.UPKEEP).app_context(),
    ):
        world = make_world(count, 0, seed)
        touchdown(world, 0)
        refresh_gameweek(world.gameweek_id, NOW)
        valkeys = [
            process
            for process in belonging_to(psutil.Process(), Path(folder))
            if "valkey" in name_of(process)
        ]
        few_owners = replace(world, star=_somebody(world))
        plays = []
        for number in range(1, rounds + 1):
            for who in (world, few_owners):
                touched = int((who.owned == who.star).any(axis=1).sum())
                touchdown(who, YARDS * number)
                together.wait(PATIENCE_SECONDS)
                before, began = _spent(valkeys), time.perf_counter()
                refresh_behind(world.gameweek_id, NOW)
                taken = time.perf_counter() - began
                plays.append(_Play(who is world, touched, taken, _spent(valkeys) - before))
        check(world)
        into.put(plays)


def _spent(valkeys: Sequence[psutil.Process]) -> float:
    """Return the processor seconds so far of this process and of these."""
    return time.process_time() + sum(sum(process.cpu_times()[:2]) for process in valkeys)


def _run(sheets: int, shards: int, rounds: int) -> list[list[_Play]]:
    """Return the plays of each shard; end the benchmark if a shard failed."""
    spawn = multiprocessing.get_context("spawn")
    together, into = spawn.Barrier(shards), spawn.Queue()
    processes = [
        spawn.Process(target=_shard, args=(sheets // shards, seed, rounds, together, into))
        for seed in range(shards)
    ]
    for process in processes:
        process.start()
    plays: list[list[_Play]] = []
    while len(plays) < shards:
        if into.empty():
            if any(process.exitcode not in (None, 0) for process in processes):
                together.abort()
                sys.exit("a shard did not end well")
            time.sleep(0.1)  # between two checks of the shards
            continue
        plays.append(into.get())
    for process in processes:
        process.join(PATIENCE_SECONDS)
    return plays


def _row(sheets: int, shards: int, plays: Sequence[Sequence[_Play]]) -> str:
    cells = []
    for is_stars in (True, False):
        of = [[play for play in shard_plays if play.is_stars is is_stars] for shard_plays in plays]
        slowest = statistics.median(
            max(play.seconds for play in same) for same in zip(*of, strict=True)
        )
        processor = statistics.median(
            sum(play.processor for play in same) for same in zip(*of, strict=True)
        )
        cells += [
            f"{sum(shard_plays[0].touched for shard_plays in of):,}",
            f"{slowest:.3f}",
            f"{processor:.3f}",
        ]
    return f"| {sheets:,} | {shards} | {' | '.join(cells)} |"


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--shards", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    largest = max(arguments.sizes)
    runs = [
        *((size, 1) for size in arguments.sizes),
        *((largest, size) for size in arguments.shards),
    ]
    rows = [_row(sheets, shards, _run(sheets, shards, arguments.rounds)) for sheets, shards in runs]
    print("\n| sheets | shards | own the star | s | processor s | own somebody | s | processor s |")
    print("|---|---|---|---|---|---|---|---|", *rows, sep="\n")


if __name__ == "__main__":
    main()
