"""Reads schedules in nflverse's format (games.csv): seasons with their weeks, games and kickoffs.

`gametime` is Eastern time, by the clocks of that day. importing.py stores schedules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import groupby
from pathlib import Path
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from app.core.csv_files import FileError, Row
from app.record.events import Declared
from app.record.play_by_play.sidecar import Neighbours
from app.record.published_files import SCHEDULE, read_published
from app.record.script import Club

SeasonType = Literal["PRE", "REG", "POST"]
STATUSES: dict[str, Declared] = {name: name for name in get_args(Declared)} | {
    "canceled": "cancelled"
}

EASTERN = ZoneInfo("America/New_York")
# The league's usual time, if a schedule has none yet; a later import corrects it.
USUAL = time(13)

_TYPES: dict[str, SeasonType] = {
    "PRE": "PRE",
    "REG": "REG",
    "POST": "POST",
    "WC": "POST",
    "DIV": "POST",
    "CON": "POST",
    "SB": "POST",
}


@dataclass(frozen=True)
class Fixture:
    """A game to be played.

    Attributes:
        other_id: The id of the same game in the league's own numbers.
        kickoff: In UTC; at the usual time of that day if the file has none.
        status: The status in the file: `postponed`, or `scheduled` if it is played after all.
        score: Final score of home and away in the file; None while it has none.
        has_time: Whether the file has the time of the kickoff.
    """

    id: str
    other_id: str | None
    season: int
    season_type: SeasonType
    week: int
    kickoff: datetime
    home: str
    away: str
    status: Declared | None = None
    score: tuple[int, int] | None = None
    has_time: bool = True


@dataclass(frozen=True)
class Week:
    """A gameweek, with its fixtures by kickoff, then id."""

    number: int
    fixtures: tuple[Fixture, ...]


@dataclass(frozen=True)
class SeasonSchedule:
    """The weeks of a season."""

    season: int
    season_type: SeasonType
    weeks: tuple[Week, ...]


@dataclass(frozen=True)
class Schedule:
    """A schedule, with seasons by year, then pre-season, season, post-season."""

    seasons: tuple[SeasonSchedule, ...]
    clubs: tuple[Club, ...]


def read_schedule(path: Path, seasons: Iterable[int] = ()) -> Schedule:
    """Read the schedule of these seasons, or of all in the file if none is named.

    Raises:
        FileError: It names file, line, column and remedy. A game that comes twice, or a club that
            plays twice in a week, is an error too.
    """
    chosen_seasons, fixtures = set(seasons), list[Fixture]()
    earlier: set[object] = set()
    for row in read_published(path, SCHEDULE):
        season = row.season("season")
        if season is None:
            raise row.error("season", "is empty, but every row needs it")
        if chosen_seasons and season not in chosen_seasons:
            continue
        fixture = _fixture(row, season)
        _check_once(row, fixture, earlier)
        fixtures.append(fixture)
    if not fixtures:
        which = f" for {', '.join(map(str, sorted(chosen_seasons)))}" if chosen_seasons else ""
        raise FileError(f"{path}, line 2, column season: it has no games{which}; {SCHEDULE.remedy}")
    neighbours = Neighbours(path)
    clubs = sorted({club for fixture in fixtures for club in (fixture.home, fixture.away)})
    return Schedule(grouped(fixtures), tuple(neighbours.club(club) for club in clubs))


def _check_once(row: Row, fixture: Fixture, earlier: set[object]) -> None:
    """Check that neither the game nor its clubs in this week are in an earlier row."""
    if fixture.id in earlier:
        raise row.error("game_id", f"game {fixture.id} is listed twice")
    earlier.add(fixture.id)
    week = (fixture.season, fixture.season_type, fixture.week)
    for club in (fixture.home, fixture.away):
        if (*week, club) in earlier:
            name = f"{fixture.home} or {fixture.away}"
            raise row.error("week", f"club {name} is listed twice in one week")
        earlier.add((*week, club))


def grouped(fixtures: Iterable[Fixture]) -> tuple[SeasonSchedule, ...]:
    """The fixtures by season and week."""
    order = {"PRE": 0, "REG": 1, "POST": 2}
    ordered = sorted(
        fixtures, key=lambda f: (f.season, order[f.season_type], f.week, f.kickoff, f.id)
    )
    return tuple(
        SeasonSchedule(
            season,
            season_type,
            tuple(Week(n, tuple(games)) for n, games in groupby(of, key=lambda f: f.week)),
        )
        for (season, season_type), of in groupby(ordered, key=lambda f: (f.season, f.season_type))
    )


def _fixture(row: Row, season: int) -> Fixture:
    kind = row.needed("game_type", "season_type")
    if kind not in _TYPES:
        raise row.error("game_type", f"is {kind!r}; it should be one of {', '.join(_TYPES)}")
    week = row.number("week")
    if week is None or week < 1:
        raise row.error("week", "should be a number from 1")
    home, away = row.needed("home_team"), row.needed("away_team")
    if home == away:
        raise row.error("away_team", f"is {away}, the same as home_team; a game has two clubs")
    game_id = row.needed("game_id", "old_game_id")
    other = row.text("old_game_id")
    known = None if other == game_id else other
    time_of_day = row.time_of_day("gametime", "kickoff_et")
    return Fixture(
        game_id,
        known,
        season,
        _TYPES[kind],
        week,
        _kickoff(row, time_of_day or USUAL),
        home,
        away,
        _status(row),
        _score(row),
        has_time=time_of_day is not None,
    )


def _score(row: Row) -> tuple[int, int] | None:
    """Final score of home and away; None unless the file has both."""
    home, away = row.number("home_score"), row.number("away_score")
    if home is None or away is None:
        return None
    if home < 0 or away < 0:
        raise row.error("home_score" if home < 0 else "away_score", "should be a number from 0")
    return home, away


def _status(row: Row) -> Declared | None:
    """The status in a column that nflverse's own files do not have."""
    status = row.text("status")
    if status is not None and status.lower() not in STATUSES:
        raise row.error(
            "status",
            f"is {status!r}; it should be one of {', '.join(get_args(Declared))}, or empty",
        )
    return STATUSES[status.lower()] if status else None


def _kickoff(row: Row, time_of_day: time) -> datetime:
    """The kickoff by the Eastern clocks of that day, in summer or winter time."""
    day = row.needed("gameday")
    try:
        on = date.fromisoformat(day)
    except ValueError as error:
        raise row.error("gameday", f"is {day!r}; it should be a day like 2026-09-10") from error
    return datetime.combine(on, time_of_day, EASTERN).astimezone(UTC)
