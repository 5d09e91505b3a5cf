"""Reads real games from public play-by-play files as scripts for `pressbox replay`.

The formats are nflscrapR's and nflverse's. `pressbox import pbp` calls `read_games`, which keeps
one game in memory at a time.

Files are csv, csv.gz or parquet, with one game or a season. Both kinds of game ids (`2019090500`,
`2019_01_GB_CHI`) and of player ids (`00-0012345`, or the same in a hexadecimal id) are understood.
If the league's own credits (play_stats) are given, or are next to the file as
`play_stats/GAME.csv.gz`, they are used; otherwise the wide columns are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from app.core.csv_files import FileError, Row
from app.record.play_by_play.assemble import ClubId, as_the_file_says, assemble
from app.record.play_by_play.playstats import Sources
from app.record.play_by_play.sidecar import Neighbours
from app.record.published_files import PLAY_BY_PLAY, read_published
from app.record.script import GameScript

__all__ = ["FileError", "read_games"]


def read_games(
    paths: Sequence[Path], play_stats: Path | None = None, *, club_id: ClubId = as_the_file_says
) -> Iterator[GameScript]:
    """The games in these files, in file order.

    The rows of a game must follow each other.

    Args:
        paths: The play-by-play files.
        play_stats: A file (of one game or many) or a folder of files.
        club_id: Returns the club's id for a name in a file and the file's season.

    Raises:
        FileError: A row is not play-by-play; the message names file, line and column. The games
            before it have been yielded.
    """
    sources = Sources(play_stats)
    for path in paths:
        neighbours = Neighbours(path)
        for rows in _games(path):
            yield assemble(path, rows, sources, neighbours, club_id)


def _games(path: Path) -> Iterator[list[Row]]:
    done: set[str] = set()
    rows: list[Row] = []
    for row in read_published(path, PLAY_BY_PLAY):
        game_id = row.needed("game_id", "old_game_id")
        if rows and rows[0].text("game_id", "old_game_id") != game_id:
            yield rows
            rows = []
        if game_id in done and not rows:
            raise row.error(
                "game_id", f"game {game_id} comes again after another game; sort the file by game"
            )
        done.add(game_id)
        rows.append(row)
    if not rows:
        raise FileError(f"{path}, line 2: there are no plays; give a file with a game in it")
    yield rows
