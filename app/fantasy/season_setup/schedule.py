"""Schedules in nflverse's format (games.csv), as values: seasons with their weeks, games and
kickoffs.

Lives here: reading. `gametime` is Eastern time, and becomes a moment by the clocks of that day. Not
here: storing them (importing.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import groupby
from pathlib import Path
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from app.core.csv_files import FileError, Row, read_rows
from app.record.events import Declared
from app.record.play_by_play.sidecar import Neighbours
from app.record.script import Club

SeasonType = Literal["PRE", "REG", "POST"]
STATUSES: dict[str, Declared] = {name: name for name in get_args(Declared)} | {
    "canceled": "cancelled"
}

WHAT = "a schedule"
REMEDY = "give a csv or csv.gz file in nflverse's format (games.csv)"
EASTERN = ZoneInfo("America/New_York")
# The league's usual time, where a schedule does not know it yet; a later import puts it right.
USUAL = time(13)

_COLUMNS = (
    "game_id|old_game_id",
    "season",
    "game_type|season_type",
    "week",
    "gameday",
    "gametime|kickoff_et",
    "away_team",
    "home_team",
)
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
    """A game to be played. `other_id`: the same game in the league's own numbers. `kickoff` is UTC.

    `status`: what becomes of it, where the file says so (`postponed`; `scheduled`: it is played
    after all).
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


@dataclass(frozen=True)
class Week:
    """`fixtures` by kickoff, then id."""

    number: int
    fixtures: tuple[Fixture, ...]


@dataclass(frozen=True)
class SeasonSchedule:
    season: int
    season_type: SeasonType
    weeks: tuple[Week, ...]


@dataclass(frozen=True)
class Schedule:
    """`seasons` by year, then pre-season, season, post-season."""

    seasons: tuple[SeasonSchedule, ...]
    clubs: tuple[Club, ...]


def read_schedule(path: Path, seasons: Iterable[int] = ()) -> Schedule:
    """The schedule of these seasons; of every one in the file when none is named.

    Raises FileError, naming file, line, column and remedy: also for a game that comes twice, or a
    club that plays twice in a week.
    """
    wanted, fixtures = set(seasons), list[Fixture]()
    seen: set[object] = set()
    for row in read_rows(path, _COLUMNS, WHAT, REMEDY):
        season = row.season("season")
        if season is None:
            raise row.error("season", "is empty, but every row needs it")
        if wanted and season not in wanted:
            continue
        fixture = _fixture(row, season)
        week = (fixture.season, fixture.season_type, fixture.week)
        for what, key in (
            ("game", fixture.id),
            ("club", (*week, fixture.home)),
            ("club", (*week, fixture.away)),
        ):
            if key in seen:
                column = "game_id" if what == "game" else "week"
                name = fixture.id if what == "game" else f"{fixture.home} or {fixture.away}"
                raise row.error(
                    column,
                    f"{what} {name} comes twice" + (" in one week" if what == "club" else ""),
                )
            seen.add(key)
        fixtures.append(fixture)
    if not fixtures:
        which = f" of {', '.join(map(str, sorted(wanted)))}" if wanted else ""
        raise FileError(f"{path}, line 2, column season: no games{which} are in it; {REMEDY}")
    neighbours = Neighbours(path)
    clubs = sorted({club for fixture in fixtures for club in (fixture.home, fixture.away)})
    return Schedule(grouped(fixtures), tuple(neighbours.club(club) for club in clubs))


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
        raise row.error("away_team", f"is {away} as home_team is; a game has two clubs")
    game_id = row.needed("game_id", "old_game_id")
    other = row.text("old_game_id")
    known = None if other == game_id else other
    return Fixture(
        game_id, known, season, _TYPES[kind], week, _kickoff(row), home, away, _status(row)
    )


def _status(row: Row) -> Declared | None:
    """nflverse's files have no such column."""
    said = row.text("status")
    if said is not None and said.lower() not in STATUSES:
        raise row.error(
            "status", f"is {said!r}; it should be one of {', '.join(get_args(Declared))}, or empty"
        )
    return STATUSES[said.lower()] if said else None


def _kickoff(row: Row) -> datetime:
    """By the Eastern clocks of that day, summer or winter."""
    day, at = row.needed("gameday"), row.text("gametime", "kickoff_et")
    try:
        on = date.fromisoformat(day)
    except ValueError as error:
        raise row.error("gameday", f"is {day!r}; it should be a day like 2026-09-10") from error
    try:
        clock = USUAL if at is None or at.upper() == "TBD" else time.fromisoformat(at.zfill(5))
    except ValueError as error:
        raise row.error(
            "gametime", f"is {at!r}; it should be a time like 20:20 (Eastern)"
        ) from error
    return datetime.combine(on, clock, EASTERN).astimezone(UTC)
