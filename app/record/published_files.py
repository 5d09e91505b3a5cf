"""The kinds of files that publishers of football data offer, each known by its columns.

A file that is given in place of another kind is refused before anything is read into the database.
What the columns mean is in the reader of each kind.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.csv_files import FileError, Row, read_columns, read_rows


@dataclass(frozen=True, kw_only=True)
class FileKind:
    """A kind of file.

    Attributes:
        name: As feeds call it.
        what: What it is, in a sentence.
        remedy: What to do if a file is of no such kind.
        command: How it is imported; empty if there is no command for it.
        telling: Columns that together only this kind has; alternatives separated by `|`.
        columns: Columns that a reader needs, written likewise.
    """

    name: str
    what: str
    remedy: str
    command: str
    telling: tuple[str, ...]
    columns: tuple[str, ...]


class OtherKindError(FileError):
    """The file is of another kind; the text says which, and which command takes it.

    `fault` is the same without the command.
    """

    def __init__(self, path: Path, actual: FileKind, expected: FileKind) -> None:
        self.fault = f"{path}: this is {actual.what}, not {expected.what}"
        use = f"; use `{actual.command}`" if actual.command else ""
        super().__init__(f"{self.fault}{use}")


PLAY_BY_PLAY = FileKind(
    name="play_by_play",
    what="play-by-play",
    remedy="give a csv, csv.gz or parquet file in nflscrapR or nflverse format",
    command="pressbox import pbp FILE",
    telling=("play_id", "posteam", "play_type"),
    columns=(
        "game_id|old_game_id",
        "play_id",
        "home_team",
        "away_team",
        "posteam",
        "qtr|quarter",
        "play_type",
    ),
)
PLAY_STATS = FileKind(
    name="play_stats",
    what="play_stats (the league's credits in nflverse's schema)",
    remedy="give a csv, csv.gz or parquet file in nflverse's schema",
    command="pressbox import pbp PLAY_BY_PLAY --play-stats FILE",
    telling=("play_id", "stat_id"),
    columns=("game_id", "play_id", "stat_id", "yards", "team_abbr", "gsis_player_id"),
)
INJURIES = FileKind(
    name="injuries",
    what="a list of injury reports",
    remedy="give a csv, csv.gz or parquet file in nflverse's format (injuries_2026.csv)",
    command="pressbox import injuries FILE --season YEAR",
    telling=("report_status", "practice_status"),
    columns=(
        "season",
        "week",
        "team",
        "gsis_id",
        "full_name",
        "report_primary_injury",
        "report_status",
        "practice_primary_injury",
        "practice_status",
    ),
)
PLAYER_WEEKS = FileKind(
    name="player_weeks",
    what="weekly statistics of players",
    remedy=(
        "give a csv, csv.gz or parquet file in nflverse's format (stats_player_week_2025.csv, "
        "player_stats_2023.csv)"
    ),
    command="pressbox import player-weeks FILE",
    telling=("player_id", "week", "carries", "receptions", "passing_yards"),
    columns=(
        "player_id",
        "season",
        "week",
        "team|recent_team",
        "receiving_yards",
        "passing_yards",
        "carries",
    ),
)
SCHEDULE = FileKind(
    name="schedule",
    what="a schedule",
    remedy="give a csv, csv.gz or parquet file in nflverse's format (games.csv)",
    command="pressbox import schedule FILE",
    telling=("home_team", "away_team", "gameday", "gametime|kickoff_et"),
    columns=(
        "game_id|old_game_id",
        "season",
        "game_type|season_type",
        "week",
        "gameday",
        "gametime|kickoff_et",
        "away_team",
        "home_team",
    ),
)
ROSTERS = FileKind(
    name="rosters",
    what="a roster",
    remedy="give a csv, csv.gz or parquet file in nflverse's format (roster_2026.csv, players.csv)",
    command="pressbox import rosters FILE --season YEAR",
    telling=("gsis_id|player_id", "team|latest_team|team_abbr|teams", "position"),
    columns=("gsis_id|player_id", "team|latest_team|team_abbr|teams", "position"),
)
# A file is of the first kind whose telling columns it has. Rosters come last, because other kinds
# have their columns too.
KINDS = (PLAY_STATS, PLAY_BY_PLAY, INJURIES, PLAYER_WEEKS, SCHEDULE, ROSTERS)


def recognise(columns: Collection[str]) -> FileKind | None:
    """Return the kind of a file with these columns; None if it is of no known kind.

    >>> recognise(["report_status", "practice_status", "gsis_id", "team", "position"]).name
    'injuries'
    """
    return next((kind for kind in KINDS if not _missing(kind.telling, columns)), None)


def read_published(
    path: Path, kind: FileKind, is_read: Callable[[str], bool] | None = None
) -> Iterator[Row]:
    """Yield the rows of a file of this kind, in file order.

    Only the columns that `is_read` says are read; None for all of them.

    Raises:
        FileError: The file cannot be read, is of another kind, or lacks a column.
    """
    columns = read_columns(path, kind.what)
    actual = recognise(columns)
    if actual is not None and actual is not kind:
        raise OtherKindError(path, actual, kind)
    yield from read_rows(path, kind.columns, kind.what, kind.remedy, is_read=is_read)


def _missing(needed: Collection[str], columns: Collection[str]) -> bool:
    return any(
        all(name not in columns for name in alternatives.split("|")) for alternatives in needed
    )
