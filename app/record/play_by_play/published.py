"""Reads a publisher's play-by-play game by game, for somebody who follows a file that changes.

A game is read into events only when it is asked for, because most games of a file have not changed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.csv_files import FileError, Row
from app.record import events as ev
from app.record.play_by_play.assemble import ClubId, assemble, game_ids
from app.record.play_by_play.playstats import GameStats, Sources
from app.record.play_by_play.sidecar import Neighbours
from app.record.published_files import PLAY_BY_PLAY, read_published
from app.record.script import GameScript

# Columns that the reader never uses and that publishers compute anew: models, odds, stadiums.
_UNUSED = re.compile(
    r"epa$|wpa?$|_prob$|^cp|cpoe$|xpass|pass_oe|xyac|^vegas|_line$|^series|drive|^div_game|^roof"
    r"|^surface|^temp|^wind|^weather|stadium|coach|^fantasy|^jersey|_jersey_number$"
)
_OVER = re.compile(r"\bEND (?:OF )?GAME\b", re.IGNORECASE)


def _is_used(column: str) -> bool:
    return not _UNUSED.search(column)


@dataclass(frozen=True)
class PublishedGame:
    """The rows of a game in a file, with the league's own credits if there are any.

    `fault`: why the credits cannot be read; None if they can.
    """

    rows: Sequence[Row]
    stats: GameStats | None
    neighbours: Neighbours
    fault: FileError | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """Its ids, that of the file first."""
        return game_ids(self.rows[0])

    @property
    def clubs(self) -> tuple[str, str]:
        """Home and away, as the file calls them."""
        return self.rows[0].needed("home_team"), self.rows[0].needed("away_team")

    def sha256(self) -> str:
        """A hash of the rows without the columns of models, which publishers compute anew."""
        digest = hashlib.sha256(repr(self.fault or self.stats).encode())
        for row in self.rows:
            cells = "\x1f".join(f"{column}\x1e{cell}" for column, cell in row.cells())
            digest.update(cells.encode() + b"\n")
        return digest.hexdigest()

    def script(self, club_id: ClubId) -> GameScript:
        """The game as events.

        Raises:
            FileError: A row or the credits cannot be read.
        """
        if self.fault is not None:
            raise self.fault
        return assemble(self.rows, self.stats, self.neighbours, club_id, with_first_calls=False)

    def is_over(self, score: tuple[int, int] | None) -> bool:
        """Whether the file has the whole game.

        It says so in its last row, or that row ends a period after which nobody plays on, or it is
        of an overtime that ended with this final score.

        Args:
            score: Final score of home and away in a schedule; None while there is none.
        """
        last = self.rows[-1]
        if _OVER.search(last.text("desc") or "") or last.text("play_type_nfl") == "END_GAME":
            return True
        period = last.number("qtr", "quarter") or 0
        totals = last.number("total_home_score"), last.number("total_away_score")
        if period < ev.QUARTERS:
            return False
        if last.flag("quarter_end"):
            is_tied = totals[0] == totals[1]
            is_playoff = (last.text("season_type", "game_type") or "REG") not in ("REG", "PRE")
            return not is_tied or (period > ev.QUARTERS and not is_playoff)
        return period > ev.QUARTERS and score is not None and totals == score


def read_published_games(path: Path) -> Iterator[PublishedGame]:
    """Yield the games of a file, in file order. The rows of a game must follow each other.

    Raises:
        FileError: A row is not play-by-play. The games before it have been yielded.
    """
    sources, neighbours = Sources(None), Neighbours(path)
    for rows in games_of(path):
        try:
            game = PublishedGame(rows, sources.of(path, game_ids(rows[0])), neighbours)
        except FileError as fault:
            game = PublishedGame(rows, None, neighbours, fault)
        yield game


def games_of(path: Path) -> Iterator[list[Row]]:
    """Yield the rows of each game, in the order of the game.

    Raises:
        FileError: A row is not play-by-play, or the rows of a game do not follow each other.
    """
    earlier: set[str] = set()
    rows: list[Row] = []
    for row in read_published(path, PLAY_BY_PLAY, _is_used):
        game_id = row.needed("game_id", "old_game_id")
        if rows and rows[0].text("game_id", "old_game_id") != game_id:
            yield in_game_order(rows)
            rows = []
        if game_id in earlier and not rows:
            raise row.error(
                "game_id", f"game {game_id} comes again after another game; sort the file by game"
            )
        earlier.add(game_id)
        rows.append(row)
    if not rows:
        raise FileError(f"{path}, line 2: there are no plays; give a file with a game in it")
    yield in_game_order(rows)


def in_game_order(rows: list[Row]) -> list[Row]:
    """The rows by `order_sequence` if every one has it, otherwise as they are in the file."""
    places = [row.text("order_sequence") for row in rows]
    if not all(places):
        return rows
    return sorted(rows, key=lambda row: row.number("order_sequence") or 0)
