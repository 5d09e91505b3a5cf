"""Rules that differ by competition and season, as data: spots, tries, periods, fouls.

The book of a season, made from the chapters (chapters.py). What a rule does to the ball is in
enforcement.py and situation.py. A competition without its own chapter plays by the NFL's. The
sources stand beside the values in rulebooks.toml.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import msgspec
from msgspec import Meta

from app.core.errors import UserError
from app.record.events import procedure as ev_periods
from app.record.rules.football import chapters
from app.record.rules.football.chapters import Basis, Chapter, Side

STANDARD = "nfl"
_SEASON_STARTS = 3  # March: January and February belong to the season before
Spot = Annotated[int, Meta(ge=1, le=99)]
Count = Annotated[int, Meta(ge=0, le=20)]
# How overtime is won. sudden_death: by the first score. modified: by a touchdown at once, by a
# field goal only after both clubs had the ball. both: after both had the ball. series: by series of
# both from the same spot, over periods.
OvertimeRule = Literal["sudden_death", "modified", "both", "series"]
Seconds = Annotated[int, Meta(ge=0, le=900)]  # what the clock of the wire can say


@dataclass(frozen=True, slots=True)
class Foul:
    """A foul by one side.

    `first_down`: by itself, for fouls of the defence. `loss_of_down`: for fouls of the offence.
    `yards`: the usual walk, 0 if it goes to the spot of the foul. `before_snap`: the whistle comes
    before anything is played. `on_passer`: by the defence, so the ball returns to the passer's club
    even if it was lost later. `stops_at`: yards before the goal line at which its walk ends,
    instead of half the distance; 0: half the distance.
    """

    name: str
    side: Side
    yards: int
    basis: Basis
    first_down: bool = False
    loss_of_down: bool = False
    before_snap: bool = False
    on_passer: bool = False
    stops_at: int = 0


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Spots count from the own goal line of the club that has the ball then. Times in seconds.

    `kickoff_out_of_bounds`: yards beyond the spot of the kick; `free_kick_out_of_bounds` after a
    safety, 0: as many.
    `landing_zone`: from the goal line to which yard line a kickoff must come down, 0: anywhere; one
    that comes down short of it is placed as if it went out of bounds, and one that comes down there
    and is downed in the end zone is a touchback at `kickoff_landing_touchback`.
    `kickoff_fair_catch`: up to where a fair catch of a kickoff is a touchback, 0: nowhere.
    `kick_dead_in_end_zone`: a kick that reaches the receivers' end zone is a touchback at once.
    `missed_field_goal`: where the other club takes over, the spot of the kick or of the snap, but
    never behind `touchback`; or always there, as after any kick. `try_spot`, `two_point_spot`: of
    the snap.
    `touchdown_fouls`: what a foul on or after a touchdown moves; choice: the offended club's.
    `line_to_gain`: set when the ball is dead, so that a foul after a first down makes it longer, or
    when it is ready for play again.
    `two_point_margins`: leads (behind: below 0) after a touchdown at which clubs try for two late
    in a game.
    `overtime`: of a period of it, `playoff_overtime` in the play-offs; in the book of those
    (`rulebook`) both are that, and so it is with `overtime_rule`. `overtime_periods`: the most that
    are played, the game is a tie then; 0: as many as it takes, and so in the play-offs. Of series:
    `overtime_spot` where they begin, `overtime_two_from` and `overtime_tries_from` the extra period
    from which a touchdown's try is for two, and from which there are tries for two alone; 0: never.
    `timeouts`: of a club in a half. `overtime_timeouts` are renewed after so many periods of
    overtime as `overtime_half`. Below `excess_timeout_clock` at the end of a half an injury may
    cost one more; 0: never. With `runoff_clock` seconds or fewer left in a half a foul of the
    offence that stops the clock costs ten of them; 0: never.
    `fourth_down_fumbles`: on fourth down a team-mate's recovery of a fumble does not advance the
    ball. `late_fumbles`: nor do they with so many seconds or fewer left in a half; 0: they do.
    `forward_fumble_out`: where a fumble that goes out of bounds ahead of its spot comes back, at
    that spot or where it went out.
    `fouls_behind_line`: from where a foul of the offence behind the line of scrimmage is walked
    off that has no spot of its own, the previous spot or that of the foul. It is a proposal of the
    console; the record has the spot of enforcement.
    `sacks_rush`: the competition's statistics charge a sack to rushing (club_figures.py).
    `extended_by`: whose foul gives an untimed down at the end of a half. `losses_count`: a foul of
    the defence on a run that lost yards is walked off from its end, not from the previous spot.
    """

    title: str
    kickoff: Spot
    free_kick: Spot
    kickoff_touchback: Spot
    touchback: Spot
    kickoff_out_of_bounds: Spot
    try_spot: Spot
    two_point_spot: Spot
    missed_field_goal: Literal["kick", "snap", "touchback"]
    touchdown_fouls: Literal["try", "kickoff", "choice"]
    line_to_gain: Literal["dead", "ready"]
    period: Seconds
    overtime: Seconds
    playoff_overtime: Seconds
    two_point_margins: tuple[int, ...]
    timeouts: Count
    overtime_timeouts: Count
    playoff_overtime_timeouts: Count
    overtime_half: Count
    excess_timeout_clock: Seconds
    fouls: Mapping[str, Sequence[Foul]]
    # A chapter that says nothing of overtime is one of before these were asked.
    overtime_rule: OvertimeRule = "sudden_death"
    playoff_overtime_rule: OvertimeRule = "sudden_death"
    overtime_periods: Count = 0
    overtime_spot: Spot = 75
    overtime_two_from: Count = 0
    overtime_tries_from: Count = 0
    fourth_down_fumbles: bool = False
    late_fumbles: Seconds = 0
    fouls_behind_line: Literal["previous", "foul"] = "previous"
    forward_fumble_out: Literal["fumble", "out"] = "fumble"
    sacks_rush: bool = False
    landing_zone: Annotated[int, Meta(ge=0, le=50)] = 0
    kickoff_landing_touchback: Annotated[int, Meta(ge=0, le=99)] = 0
    kickoff_fair_catch: Annotated[int, Meta(ge=0, le=50)] = 0
    free_kick_out_of_bounds: Annotated[int, Meta(ge=0, le=99)] = 0
    kick_dead_in_end_zone: bool = False
    extended_by: Literal["defence", "either"] = "defence"
    losses_count: bool = False
    runoff_clock: Seconds = 0

    def as_json(self) -> dict[str, Any]:
        """The whole book for the browser's rules: fields by name, fouls by lower-case name."""
        fouls = {name: [asdict(foul) for foul in rules] for name, rules in self.fouls.items()}
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"fouls": fouls}

    def foul(self, name: str, *, by_offence: bool) -> Foul | None:
        """The rule for a foul of that name by that side; None for an unknown name."""
        side = "offence" if by_offence else "defence"
        return next(
            (rule for rule in self.fouls.get(name.lower(), ()) if rule.side in (side, "either")),
            None,
        )

    def period_seconds(self, number: int) -> int:
        """The length of a period in seconds."""
        return self.period if number <= ev_periods.QUARTERS else self.overtime

    def is_late(self, number: int) -> bool:
        """Whether a half ends with this period, and the game with its overtime."""
        if number <= ev_periods.QUARTERS:
            return number in (2, 4)
        overtime = number - ev_periods.QUARTERS
        return overtime % self.overtime_half == 0 or overtime == self.overtime_periods


@cache
def rulebook(competition: str, season: int, season_type: str = "REG") -> Rulebook:
    """The rules of a season: each value by its newest change up to then, else its oldest.

    `season_type` POST: those of the play-offs, whose overtime may be longer.
    """
    books, where = _books(), "RULEBOOKS_FILE" if _own else chapters.SHIPPED
    book = _book(chapters.chapter_of(competition, books) or STANDARD, season, books, where)
    if season_type != "POST":
        return book
    return replace(
        book,
        overtime=book.playoff_overtime,
        overtime_rule=book.playoff_overtime_rule,
        overtime_periods=0,
    )


class Played(Protocol):
    """A game as its rules depend on it."""

    @property
    def competition(self) -> str:
        """Whose rules apply."""

    @property
    def season(self) -> int:
        """The season, 0 for a practice game."""

    @property
    def season_type(self) -> str:
        """PRE, REG or POST."""

    @property
    def kickoff(self) -> datetime:
        """The kickoff."""


def rulebook_of(game: Played) -> Rulebook:
    """The rules that a game is played by.

    A practice game has no season (0) and is played by those of its day.
    """
    return rulebook(
        game.competition, game.season or season_of(game.kickoff.date()), game.season_type
    )


def season_of(day: date) -> int:
    """The season that a day belongs to, named by the year it starts in.

    >>> season_of(date(2019, 2, 3))
    2018
    """
    return day.year if day.month >= _SEASON_STARTS else day.year - 1


def chapter_names() -> dict[str, str]:
    """The titles of the chapters by name, the installation's own chapters first."""
    return {name: chapter.title for name, chapter in _books().items()}


def install(path: Path | None) -> None:
    """Make this process play by an installation's own chapters too; None for the shipped ones only.

    A chapter with the name of a shipped one replaces it. Raises UserError for a wrong file and
    changes nothing then.
    """
    global _own
    own_chapters = chapters.own(path) if path else {}
    books = {**_shipped(), **own_chapters}
    for name, chapter in own_chapters.items():
        for season in [change["from"] for change in chapter.changes] or [chapter.season or 0]:
            _book(name, season, books, f"RULEBOOKS_FILE={path}")
    _own = own_chapters
    rulebook.cache_clear()


_own: Mapping[str, Chapter] = {}


def _books() -> Mapping[str, Chapter]:
    # An installation's own chapters are looked through first.
    return {**_own, **{name: chapter for name, chapter in _shipped().items() if name not in _own}}


@cache
def _shipped() -> Mapping[str, Chapter]:
    return chapters.shipped()


def _book(name: str, season: int, books: Mapping[str, Chapter], where: str) -> Rulebook:
    chapter = books[name]
    if chapter.like is not None:
        other = books.get(chapter.like)
        if other is None or other.like is not None:
            raise UserError(
                f"{where}: chapter {name}: like {chapter.like!r} is no chapter with rules of its "
                "own"
            )
        return replace(
            _book(chapter.like, chapter.season or season, books, where), title=chapter.title
        )
    values: dict[str, Any] = {}
    for change in sorted(chapter.changes, key=lambda change: int(change["from"])):
        if not values or change["from"] <= season:
            values |= {name: value for name, value in change.items() if name != "from"}
    book_fields = [field for field in fields(Rulebook) if field.name not in ("title", "fouls")]
    names = {field.name for field in book_fields}
    if missing := sorted(
        {field.name for field in book_fields if field.default is MISSING} - set(values)
    ):
        raise UserError(
            f"{where}: chapter {name}: the first of its `changes` lacks {', '.join(missing)}"
        )
    if unknown := sorted(set(values) - names):
        raise UserError(f"{where}: chapter {name}: nothing is called {', '.join(unknown)}")
    fouls = {
        foul.lower(): tuple(Foul(name=foul, **msgspec.structs.asdict(row)) for row in rows)
        for foul, rows in chapter.fouls.items()
    }
    try:
        return msgspec.convert({**values, "title": chapter.title, "fouls": fouls}, Rulebook)
    except msgspec.ValidationError as error:
        raise UserError(f"{where}: chapter {name}: {error}") from None
