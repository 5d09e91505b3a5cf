"""A game's rows with their credits, in the game's own names for its clubs.

Lives here: which credits a row has (the league's, else its wide columns'). Not here: what follows
from them (game.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.core.csv_files import Row
from app.record.play_by_play import wide_credits
from app.record.play_by_play.playstats import GameStats, StatRow
from app.record.play_by_play.stat_ids import ASIDE
from app.record.rules.clubs import same_club

_NOT_PLAYED = frozenset((None, "no_play", "note"))
# What a play has in common with the one that its row is made from.
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
    home: str
    away: str

    def other(self, club: str) -> str:
        return self.away if club == self.home else self.home

    def club(self, name: str | None) -> str | None:
        """The game's own abbreviation for a club, whatever the file calls it here.

        None for a third one.
        """
        if name is None or name in (self.home, self.away):
            return name
        return next((club for club in (self.home, self.away) if same_club(club, name)), None)


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the file with its credits: `rows` move the ball or credit somebody, `aside` do
    not."""

    row: Row
    offence: str | None
    defence: str | None
    rows: tuple[StatRow, ...]
    aside: tuple[StatRow, ...]

    @property
    def ids(self) -> set[int]:
        return {row.stat for row in self.rows}

    @property
    def is_play(self) -> bool:
        """Whether the ball was put in play: a play that counts, or one called back."""
        foul = self.row.flag("penalty") or any(row.stat == 93 for row in self.aside)
        called = self.row.text("play_type") not in _NOT_PLAYED
        return (
            bool(self.rows)
            or called
            or (foul and self.offence is not None)
            or self.row.flag("safety")
        )


def read_lines(rows: Sequence[Row], sides: Sides, stats: GameStats | None) -> list[Line]:
    """The rows that were played, and after each a bare one for every play that only play_stats
    know.
    """
    numbers = [row.number("play_id") or 0 for row in rows]
    unlisted: dict[int, list[int]] = {}
    for play, credits in (stats or {}).items():
        if play not in numbers and any(one.player and one.stat not in ASIDE for one in credits):
            unlisted.setdefault(
                max((n for n in numbers if n < play), default=numbers[0]), []
            ).append(play)
    found = []
    for row, number in zip(rows, numbers, strict=True):
        if not row.flag("play_deleted"):
            found.append(_line(row, sides, stats))
        found += [
            _line(row.only(_SITUATION, play_id=str(play)), sides, stats)
            for play in sorted(unlisted.get(number, []))
        ]
    return found


def _line(row: Row, sides: Sides, stats: GameStats | None) -> Line:
    offence = sides.club(row.text("posteam"))
    defence = sides.club(row.text("defteam")) or (sides.other(offence) if offence else None)
    play_id = row.number("play_id")
    if play_id is None:
        raise row.error("play_id", "is empty, but every row needs it")
    found = stats.get(play_id) if stats is not None else None
    if found is None:
        found = wide_credits.credits_of(row, offence or sides.home, defence or sides.away)
    named = [replace(one, team=_team_of(one, offence or sides.home, sides)) for one in found]
    rows = tuple(one for one in named if one.stat not in ASIDE)
    if row.text("play_type") == "no_play" and not any(one.player for one in rows):
        rows = ()  # called back: flags may remain, but nobody is credited
    return Line(row, offence, defence, rows, tuple(one for one in named if one.stat in ASIDE))


def _team_of(credit: StatRow, offence: str, sides: Sides) -> str:
    return sides.club(credit.team or None) or (
        sides.other(offence) if credit.stat in _DEFENSIVE else offence
    )
