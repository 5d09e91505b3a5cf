"""Reads the league's own credits: numbered statistics, several per play (nflverse's play_stats).

The numbers are named in stat_ids.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from app.core.csv_files import FileError, Row
from app.record.published_files import PLAY_STATS, read_published
from app.record.rules.clubs import player_id


@dataclass(frozen=True, slots=True)
class StatRow:
    """An official credit. `player`: None if it is the team's."""

    stat: int
    yards: int
    team: str
    player: str | None
    name: str | None


GameStats = dict[int, tuple[StatRow, ...]]


class PlayStats:
    """A file of credits for one or many games, read once from start to end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._games = groupby(
            read_published(path, PLAY_STATS), key=lambda row: row.needed("game_id")
        )
        self._passed: dict[str, GameStats] = {}

    def of(self, game_ids: tuple[str, ...]) -> GameStats | None:
        """The credits of the game with any of these ids, by play id, in official order.

        None if the file lacks the game or the game was requested before.
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
        credits_of_play = plays.setdefault(play, [])
        credit = StatRow(
            stat=stat,
            yards=row.number("yards") or 0,
            team=row.text("team_abbr") or "",
            player=player_id(row.text("gsis_player_id")),
            name=row.text("player_name"),
        )
        place = len(credits_of_play)
        credits_of_play.append((row.number("sequence") or place, place, credit))
    return {
        play: tuple(credit for *_, credit in sorted(credits_of_play, key=_order))
        for play, credits_of_play in plays.items()
    }


def _order(numbered: tuple[int, int, StatRow]) -> tuple[int, int]:
    return numbered[:2]


def _find(folders: Sequence[Path], path: Path, game_ids: tuple[str, ...]) -> Path | None:
    names = [f"{game_id}{suffix}" for game_id in game_ids for suffix in (".csv.gz", ".csv")]
    candidates = (folder / name for folder in folders for name in [*names, path.name])
    return next((file for file in candidates if file.is_file() and file != path), None)


class Sources:
    """Finds the credits of each game.

    They are in `path`, a file or a folder, or without it in `play_stats/GAME.csv.gz` next to the
    play-by-play file or its folder.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._open: PlayStats | None = None

    def of(self, path: Path, game_ids: tuple[str, ...]) -> GameStats | None:
        """The credits of the game with any of these ids in the play-by-play file `path`.

        None if there are no credits, only the wide columns.

        Raises:
            FileError: The file of credits lacks the game.
        """
        file = self._path
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
        if stats is None:  # requested a second time, or missing
            self._open = PlayStats(file)
            stats = self._open.of(game_ids)
        if stats is None:
            raise FileError(
                f"{file}, column game_id: no rows for game {' or '.join(game_ids)}; give the "
                "play_stats of this game, "
                "or none to go by the play-by-play alone"
            )
        return stats
