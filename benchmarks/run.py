"""Runs every benchmark at a small size and writes `benchmarks/results.md`.

Run it with `make bench` or `python -m benchmarks.run [NAME...]`.

Each prints what it measured as a table, ours beside a floor or a peer of the same run; only the
ratios mean something on another machine. One that fails is named in the file and ends this with 1.
Full sizes: each benchmark by itself, as its first lines say; docs/benchmarks.md holds what they
gave.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results.md"
SECONDS = 300  # per benchmark at its small size, on a busy machine
GIB = 1024**3


@dataclass(frozen=True)
class _Bench:
    """A benchmark; `small` has the arguments for a size that takes less than a minute."""

    name: str
    title: str
    small: tuple[str, ...] = ()


BENCHES = (
    _Bench("polls", "Unchanged polls beside a bare Flask view", ("--seconds", "1")),
    _Bench("changed_polls", "Changed polls beside a bare Flask view", ("--seconds", "0.7")),
    _Bench(
        "pages", "Whole pages beside a bare Flask view", ("--members", "1000", "--seconds", "0.5")
    ),
    _Bench("boards", "Boards beside ZADD and ZREVRANK", ("--members", "20000", "--rounds", "100")),
    _Bench("rebuild", "A board rebuilt beside raw ZADD", ("--members", "100000")),
    _Bench(
        "live_teams",
        "A touchdown beside ZADD and UPDATE",
        ("--sheets", "20000", "--leagues-of", "10"),
    ),
    _Bench(
        "growth",
        "A touchdown by size and shards",
        ("--sizes", "10000", "100000", "--shards", "2", "--rounds", "3"),
    ),
    _Bench(
        "draft_room",
        "A draft room with members and watchers",
        ("--watchers", "200", "--picks", "42"),
    ),
    _Bench("waivers", "A night of waivers beside a bare loop", ("--leagues", "20")),
    _Bench(
        "stadium",
        "A touchdown from Kafka to every total",
        ("--sheets", "20000", "--minutes", "0.5"),
    ),
    _Bench(
        "live_points",
        "Team sheets as arrays beside a loop",
        ("--sheets", "50000", "--sample", "2000"),
    ),
    _Bench("ingest", "Events from Kafka to tables beside bare INSERTs", ("--events", "6000")),
    _Bench("season", "A season from an empty database to final tables", ("--games", "16")),
    _Bench("press_to_screen", "From the scorer's key to the fan's screen", ("--seconds", "20")),
    _Bench("deadline", "A deadline storm", ("--saves", "60", "--seconds", "1.5")),
    _Bench("game_day", "A game day", ("--seconds", "12", "--browsers", "60", "--sheets", "40")),
    _Bench("paint", "The front page on a throttled phone"),
    _Bench("settlement", "Guesses of one match beside one UPDATE", ("--guesses", "50000")),
    _Bench("projections", "Chances of winning on held-out games", ("--matchups", "20")),
    _Bench("key_press", "An entry late in a game beside one early in it"),
    _Bench(
        "submits",
        "Scores sent in beside a bare send and flush",
        ("--seconds", "0.5", "--players", "300"),
    ),
    _Bench("processes", "Memory of the demo by process", ("--seconds", "30")),
    _Bench("start", "From `pressbox up` to healthy", ("--rounds", "2")),
    _Bench("slow_clients", "Pages beside 200 half-sent requests", ("--requests", "400")),
)


def _machine() -> str:
    """Describe in a line what the figures were measured on."""
    load = ", ".join(f"{load_average:.1f}" for load_average in os.getloadavg())
    return (
        f"{psutil.cpu_count()} cores, {psutil.virtual_memory().total / GIB:.0f} GiB, "
        f"{platform.system()} "
        f"{platform.machine()}, Python {platform.python_version()}; load {load} (1, 5, 15 minutes) "
        "when it began."
    )


def _run(bench: _Bench) -> tuple[str, bool]:
    """Return what the benchmark printed, as a chapter, and whether it succeeded."""
    command = [sys.executable, "-m", f"benchmarks.{bench.name}", *bench.small]
    began = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        output, fault = done.stdout.strip(), done.stderr.strip()[-2_000:] if done.returncode else ""
    except subprocess.TimeoutExpired:
        output, fault = "", f"It did not end within {SECONDS} s."
    command_line = " ".join(["python", *command[1:]])
    chapter = f"## {bench.title}\n`{command_line}`, {time.monotonic() - began:.0f} s\n\n{output}\n"
    return (f"{chapter}\n**Failed.**\n```\n{fault}\n```\n" if fault else chapter), not fault


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=", ".join(bench.name for bench in BENCHES)
    )
    names = parser.parse_args(arguments).names
    unknown = sorted(set(names) - {bench.name for bench in BENCHES})
    if unknown:
        parser.error(
            f"{', '.join(unknown)}: must be among {', '.join(bench.name for bench in BENCHES)}"
        )
    chapters = [
        "# Results of `make bench`\nSmall sizes; only ratios compare between "
        f"machines.\n\n{_machine()}\n"
    ]
    all_good = True
    for bench in BENCHES:
        if names and bench.name not in names:
            continue
        print(f"{bench.title} ...", flush=True)
        chapter, good = _run(bench)
        all_good &= good
        chapters.append(chapter)
        # after each one, so that finished results are kept
        RESULTS.write_text("\n".join(chapters), encoding="utf-8")
    print(f"Written to {RESULTS.relative_to(ROOT)}.")
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
