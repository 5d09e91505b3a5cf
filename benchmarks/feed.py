"""A feed of a whole season's play-by-play: found unchanged, and one play corrected.

Goals: fetched, compared and found unchanged within 20 s and 200 MiB; one changed play is accepted
within 10 s of the run's start.

`python -m benchmarks.feed FOLDER` repeats the games of a folder (`pbp/GAME.csv.gz`) under other ids
and clubs until there are `--games` of them, with 372 columns. It enters them in a database of its
own, and prints seconds and the largest memory of each further run: the same file again, one that
was written anew without a change, and one with a changed play.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from app import create_worker_app
from app.core import clock
from app.core.db import db
from app.core.postgres.timeouts import Use
from app.feeds import running, services
from app.settings import Settings
from workers.supervisor.start import running_stack

SEASON, COLUMNS = 2019, 372
YARDS = "rushing_yards"
Row = dict[Any, Any]


def _games(folder: Path) -> tuple[list[str], list[list[Row]]]:
    """The columns of the season's file, and the rows of each game at hand."""
    columns: dict[str, None] = {}
    games = []
    for file in sorted(folder.glob("pbp/*.csv.gz")):
        with gzip.open(file, "rt", newline="") as lines:
            reader = csv.DictReader(lines)
            columns |= dict.fromkeys(reader.fieldnames or ())
            games.append([*reader])
    models = [f"model_{number}_epa" for number in range(COLUMNS - len(columns))]
    return [*columns, *models], games


def _season(games: list[list[Row]], count: int) -> Iterator[list[Row]]:
    """So many games, each under an id and clubs of its own."""
    for number, rows in enumerate(islice(cycle(games), count), 1):
        clubs = {rows[0]["home_team"]: f"H{number}", rows[0]["away_team"]: f"A{number}"}
        game = {"game_id": f"{SEASON}{number:06}"}
        yield [
            {column: clubs.get(cell, cell) for column, cell in row.items()} | game for row in rows
        ]


def _write(source: Path, folder: Path, count: int, more_yards: int) -> None:
    """Write the season's file; the first run of its first game gains so many yards more."""
    columns, real_games = _games(source)
    games = [*_season(real_games, count)]
    target = folder / f"play_by_play_{SEASON}.csv.gz"
    changed = next(row for row in games[0] if row["play_type"] == "run" and row[YARDS])
    with gzip.open(target, "wt", newline="", compresslevel=1) as lines:
        writer = csv.DictWriter(lines, columns, restval="0.123456")
        writer.writeheader()
        for rows in games:
            for row in rows:
                if row is changed and more_yards:
                    gained = str(int(row[YARDS]) + more_yards)
                    row = {**row, YARDS: gained, "yards_gained": gained}
                writer.writerow(row)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=272)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        published = Path(name) / "published"
        published.mkdir()
        with running_stack(Settings(var=Path(name) / "var"), processes=False) as settings:
            app = create_worker_app(settings, Use.UPKEEP)
            with app.app_context():
                following = services.Following("nflverse", SEASON, str(published))
                feeds = services.add(following, clock.now())
                feed_id = next(feed.id for feed in feeds if feed.kind == "play_by_play")
                for what, more_yards in (
                    ("first run", 0),
                    ("same file", 0),
                    ("written anew", 0),
                    ("one play changed", 2),
                ):
                    if what != "same file":
                        write = partial(
                            _write, options.folder, published, options.games, more_yards
                        )
                        _in_a_child(write)
                    _in_a_child(partial(_run, what, feed_id))


def _run(what: str, feed_id: int) -> None:
    """Run the feed, and print its figures."""
    began = time.monotonic()
    report = running.run(feed_id, clock.now())
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{what}: {time.monotonic() - began:.1f} s, {used} MiB, {report.changes}", flush=True)


def _in_a_child(act: Callable[[], None]) -> None:
    """Do it in a process of its own, so that its memory is its own."""
    child = get_context("fork").Process(target=_apart, args=[act])
    child.start()
    child.join()
    if child.exitcode:
        raise SystemExit("The run failed: its error is above.")


def _apart(act: Callable[[], None]) -> None:
    db.engine.dispose(close=False)
    act()


if __name__ == "__main__":
    main()
