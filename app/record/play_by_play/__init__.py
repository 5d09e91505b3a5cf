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

from app.core.csv_files import FileError
from app.record.play_by_play.assemble import ClubId, as_the_file_says, assemble, game_ids
from app.record.play_by_play.playstats import Sources
from app.record.play_by_play.published import games_of
from app.record.play_by_play.sidecar import Neighbours
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
        for rows in games_of(path):
            stats = sources.of(path, game_ids(rows[0]))
            yield assemble(rows, stats, neighbours, club_id)
