"""The rows of a game with their credits, under the game's own names for its clubs.

The credits are the league's, or those of the wide columns if there are none. game.py turns the rows
into events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.core.csv_files import Row
from app.record.play_by_play import wide_credits
from app.record.play_by_play.playstats import GameStats, StatRow
from app.record.play_by_play.stat_ids import ASIDE, PENALTY
from app.record.rules.clubs import same_club

_NOT_PLAYED = frozenset((None, "no_play", "note"))
# The columns that a play without a row takes from the row before it.
_SITUATION = (
    "qtr",
    "quarter",
    "time",
    "quarter_seconds_remaining",
    "posteam",
    "defteam",
    "yardline_100",
    "down",
)
_DEFENSIVE = frozenset((25, 26, 79, 80, 82, 83, 84, 85, 86, 87, 88, 89, 91, 110, 120, 402))


@dataclass(frozen=True, slots=True)
class Sides:
    """The two clubs of a game."""

    home: str
    away: str

    def other(self, club: str) -> str:
        """The opponent of the club."""
        return self.away if club == self.home else self.home

    def club(self, name: str | None) -> str | None:
        """The game's own abbreviation for the club with this name; None for a third club."""
        if name is None or name in (self.home, self.away):
            return name
        return next((club for club in (self.home, self.away) if same_club(club, name)), None)


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the file with its credits.

    `rows`: those that move the ball or credit a player. `aside`: the others.
    """

    row: Row
    offence: str | None
    defence: str | None
    rows: tuple[StatRow, ...]
    aside: tuple[StatRow, ...]

    @property
    def ids(self) -> set[int]:
        """The stat ids of `rows`."""
        return {row.stat for row in self.rows}

    @property
    def is_play(self) -> bool:
        """Whether the ball was put in play, in a play that counts or was called back."""
        foul = self.row.flag("penalty") or any(row.stat == PENALTY for row in self.aside)
        called = self.row.text("play_type") not in _NOT_PLAYED
        return (
            bool(self.rows)
            or called
            or (foul and self.offence is not None)
            or self.row.flag("safety")
        )


def read_lines(rows: Sequence[Row], sides: Sides, stats: GameStats | None) -> list[Line]:
    """The rows of plays that were not deleted.

    A play that only play_stats have gets a bare row after the play before it.
    """
    numbers = [row.number("play_id") or 0 for row in rows]
    unlisted: dict[int, list[int]] = {}
    for play, stat_rows in (stats or {}).items():
        if play not in numbers and any(row.player and row.stat not in ASIDE for row in stat_rows):
            unlisted.setdefault(
                max((n for n in numbers if n < play), default=numbers[0]), []
            ).append(play)
    lines = []
    for row, number in zip(rows, numbers, strict=True):
        if not row.flag("play_deleted"):
            lines.append(_line(row, sides, stats))
        lines += [
            _line(row.only(_SITUATION, play_id=str(play)), sides, stats)
            for play in sorted(unlisted.get(number, []))
        ]
    return lines


def _line(row: Row, sides: Sides, stats: GameStats | None) -> Line:
    offence = sides.club(row.text("posteam"))
    defence = sides.club(row.text("defteam")) or (sides.other(offence) if offence else None)
    play_id = row.number("play_id")
    if play_id is None:
        raise row.error("play_id", "is empty, but every row needs it")
    stat_rows = stats.get(play_id) if stats is not None else None
    if stat_rows is None:
        stat_rows = wide_credits.credits_of(row, offence or sides.home, defence or sides.away)
    named = [
        replace(credit, team=_team_of(credit, offence or sides.home, sides)) for credit in stat_rows
    ]
    rows = tuple(credit for credit in named if credit.stat not in ASIDE)
    if row.text("play_type") == "no_play" and not any(credit.player for credit in rows):
        rows = ()  # called back: nobody is credited, although flags may remain
    return Line(
        row, offence, defence, rows, tuple(credit for credit in named if credit.stat in ASIDE)
    )


def _team_of(credit: StatRow, offence: str, sides: Sides) -> str:
    return sides.club(credit.team or None) or (
        sides.other(offence) if credit.stat in _DEFENSIVE else offence
    )
