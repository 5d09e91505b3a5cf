"""The league's own credits: numbered statistics, several a play (nflverse's play_stats).

Lives here: the credit row, and finding a game's rows. Not here: what the numbers mean for the ball
(chain.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from app.core.csv_files import FileError, Row, read_rows
from app.record.rules.clubs import player_id

WHAT = "play_stats (the league's credits in nflverse's schema)"
_COLUMNS = ("game_id", "play_id", "stat_id", "yards", "team_abbr", "gsis_player_id")


@dataclass(frozen=True, slots=True)
class StatRow:
    """One official credit. `player` None: the team's."""

    stat: int
    yards: int
    team: str
    player: str | None
    name: str | None


GameStats = dict[int, tuple[StatRow, ...]]


class PlayStats:
    """A file of credits for one game or many, read once and forwards."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._games = groupby(
            read_rows(path, _COLUMNS, WHAT), key=lambda row: row.needed("game_id")
        )
        self._passed: dict[str, GameStats] = {}

    def of(self, game_ids: tuple[str, ...]) -> GameStats | None:
        """The game's credits by play id, each play's in official order.

        It may go by any of these ids.

        None when it is not there (or was asked for before).
        """
        for game_id in game_ids:
            if game_id in self._passed:
                return self._passed.pop(game_id)
        for game_id, rows in self._games:
            stats = _by_play(rows)
            if game_id in game_ids:
                return stats
            self._passed[game_id] = stats
        return None


def _by_play(rows: Iterator[Row]) -> GameStats:
    plays: dict[int, list[tuple[int, int, StatRow]]] = {}
    for row in rows:
        play, stat = row.number("play_id"), row.number("stat_id")
        if play is None or stat is None:
            raise row.error(
                "play_id" if play is None else "stat_id", "is empty, but every row needs it"
            )
        found = plays.setdefault(play, [])
        credit = StatRow(
            stat=stat,
            yards=row.number("yards") or 0,
            team=row.text("team_abbr") or "",
            player=player_id(row.text("gsis_player_id")),
            name=row.text("player_name"),
        )
        found.append((row.number("sequence") or len(found), len(found), credit))
    return {
        play: tuple(credit for *_, credit in sorted(found, key=_order))
        for play, found in plays.items()
    }


def _order(numbered: tuple[int, int, StatRow]) -> tuple[int, int]:
    return numbered[:2]


def _find(folders: Sequence[Path], path: Path, game_ids: tuple[str, ...]) -> Path | None:
    names = [f"{game_id}{suffix}" for game_id in game_ids for suffix in (".csv.gz", ".csv")]
    candidates = (folder / name for folder in folders for name in [*names, path.name])
    return next((file for file in candidates if file.is_file() and file != path), None)


class Sources:
    """Where each game's credits come from: the file or folder given, else `play_stats/GAME.csv.gz`
    beside the play-by-play file or beside its folder.
    """

    def __init__(self, given: Path | None) -> None:
        self._given = given
        self._open: PlayStats | None = None

    def of(self, path: Path, game_ids: tuple[str, ...]) -> GameStats | None:
        """None: there are none, only the wide columns.

        Raises FileError when the file given lacks the game.
        """
        file = self._given
        if file is None:
            file = _find(
                (path.parent / "play_stats", path.parent.parent / "play_stats"), path, game_ids
            )
        elif file.is_dir():
            file = _find((file,), path, game_ids)
        if file is None:
            return None
        if self._open is None or self._open.path != file:
            self._open = PlayStats(file)
        stats = self._open.of(game_ids)
        if stats is None:  # asked for a second time, or not there
            self._open = PlayStats(file)
            stats = self._open.of(game_ids)
        if stats is None:
            raise FileError(
                f"{file}, column game_id: no rows for game {' or '.join(game_ids)}; give the "
                "play_stats of this game, "
                "or none to go by the play-by-play alone"
            )
        return stats
