"""Reads real games in the public play-by-play formats (nflscrapR, nflverse) as scripts for
`pressbox replay`.

Lives here: from files to GameScripts, one game in memory at a time. Called by the command `import
pbp`.

Files are csv or csv.gz, of one game or of a season. Either game id (`2019090500`, `2019_01_GB_CHI`)
and either player id (`00-0012345`, or the same hidden in a hexadecimal one) will do. The league's
own credits (play_stats) are taken where they are: given, or beside as `play_stats/GAME.csv.gz`.
Without them the wide columns are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from app.core.csv_files import FileError, Row, read_rows
from app.record.play_by_play.assemble import ClubId, as_the_file_says, assemble
from app.record.play_by_play.playstats import Sources
from app.record.play_by_play.sidecar import Neighbours
from app.record.script import GameScript

__all__ = ["FileError", "read_games"]

WHAT = "play-by-play"
_COLUMNS = (
    "game_id|old_game_id",
    "play_id",
    "home_team",
    "away_team",
    "posteam",
    "qtr|quarter",
    "play_type",
)


def read_games(
    paths: Sequence[Path], play_stats: Path | None = None, *, club_id: ClubId = as_the_file_says
) -> Iterator[GameScript]:
    """The games in these files, in file order.

    Args:
        play_stats: A file (of one game or many) or a folder of files.
        club_id: The id of the club that a file of this season calls so.

    The rows of a game must follow each other. Raises FileError, naming file, line and column, at
    the first row that is not play-by-play; games before it have been yielded.
    """
    sources = Sources(play_stats)
    for path in paths:
        neighbours = Neighbours(path)
        for rows in _games(path):
            yield assemble(path, rows, sources, neighbours, club_id)


def _games(path: Path) -> Iterator[list[Row]]:
    done: set[str] = set()
    rows: list[Row] = []
    for row in read_rows(path, _COLUMNS, WHAT):
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
