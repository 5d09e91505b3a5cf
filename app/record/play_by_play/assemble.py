"""Assembles the script of a game: its date, clubs, footballers and plays.

Season, week, kickoff and names come from the file or the files beside it. The plays are read in
game.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec

from app.core.csv_files import Row
from app.record import events as ev
from app.record.play_by_play.as_called import Retelling
from app.record.play_by_play.first_calls import read_call
from app.record.play_by_play.game import GameSource, script
from app.record.play_by_play.game_rows import Sides
from app.record.play_by_play.playstats import GameStats
from app.record.play_by_play.sidecar import Fixture, Neighbours, RosterPlayer
from app.record.rules.clubs import player_id
from app.record.script import Footballer, GameScript

_EASTERN = ZoneInfo("America/New_York")
_USUAL_KICKOFF = time(13, 0)
_FIRST_MONTH = 4  # games before April belong to the season of the year before
_PRESEASON_MONTH = 8


ClubId = Callable[[str, int], str]


def as_the_file_says(name: str, _season: int) -> str:
    """The name in the file as the club's id."""
    return name


def game_ids(first: Row) -> tuple[str, ...]:
    """The ids of the game of this row: that of the file, the league's own and nflverse's."""
    names = (
        first.needed("game_id", "old_game_id"),
        first.text("old_game_id"),
        _nflverse_id(first),
    )
    return tuple(dict.fromkeys(filter(None, names)))


def assemble(
    rows: Sequence[Row],
    stats: GameStats | None,
    neighbours: Neighbours,
    club_id: ClubId,
    *,
    with_first_calls: bool = True,
) -> GameScript:
    """The script of one game.

    Args:
        rows: The rows of the game, in file order.
        stats: The league's credits; None if only the columns of the file have them.
        neighbours: The files beside it.
        club_id: Returns the club's id for a name in a file and the file's season.
        with_first_calls: Whether the game is read as it was first called too.

    Raises:
        FileError: The rows are not play-by-play of one game.
    """
    first = rows[0]
    ids = game_ids(first)
    game_id = ids[0]
    fixture = neighbours.fixture(ids)
    final = None
    if fixture and fixture.home_score is not None and fixture.away_score is not None:
        final = fixture.home_score, fixture.away_score
    day = _day(first, fixture, game_id)
    season = (
        first.season("season")
        or (fixture.season if fixture else None)
        or day.year - (day.month < _FIRST_MONTH)
    )
    home, away = (club_id(first.needed(column), season) for column in ("home_team", "away_team"))
    gaps = neighbours.gaps(ids)
    source = GameSource(rows, Sides(home, away), stats, gaps, final)
    steps = tuple(script(source))
    events = tuple(event for _, event in steps)
    clubs = neighbours.club(home), neighbours.club(away)
    called = neighbours.calls(ids) if with_first_calls else None
    names = _printed_names(rows, stats)
    retelling, as_called = None, None
    if called is not None:
        names = _printed_names(called, None) | names
        ids_by_name = _ids_of(names)
        calls = (read_call(row, source.sides, clubs, ids_by_name) for row in called)
        retelling = Retelling(calls, source.sides)
        as_called = tuple(event for _, event in script(source, retelling))
    return GameScript(
        game_id=game_id,
        season=season,
        season_type=_season_type(first, fixture, day),
        week=first.number("week") or (fixture.week if fixture else None) or _week(day, season),
        kickoff=_kickoff(first, fixture, day),
        home=clubs[0],
        away=clubs[1],
        footballers=_footballers(neighbours.people, names, (*events, *(as_called or ()))),
        events=events,
        play_ids=tuple(row.number("play_id") for row, _ in steps),
        as_called=as_called,
        left_out=tuple(retelling.left_out()) if retelling else (),
    )


def _nflverse_id(first: Row) -> str | None:
    season, week = first.season("season"), first.number("week")
    home, away = first.needed("home_team"), first.needed("away_team")
    return None if season is None or week is None else f"{season}_{week:02d}_{away}_{home}"


def _day(first: Row, fixture: Fixture | None, game_id: str) -> date:
    printed = first.text("game_date") or (fixture.day if fixture else None)
    if printed is None and re.match(r"\d{8}", game_id):
        printed = game_id[:8]
    for pattern in ("%Y-%m-%d", "%Y%m%d", "%m/%d/%Y"):
        try:
            return datetime.strptime(printed or "", pattern).replace(tzinfo=UTC).date()
        except ValueError:
            continue
    raise first.error("game_date", f"must be a date like 2019-09-05, not {printed!r}")


def _kickoff(first: Row, fixture: Fixture | None, day: date) -> datetime:
    """The kickoff in UTC. Files print Eastern time; without one the usual Sunday hour is taken."""
    known = fixture.kickoff if fixture else None
    at = known or first.time_of_day("start_time") or _USUAL_KICKOFF
    return datetime.combine(day, at, _EASTERN).astimezone(UTC)


def _season_type(first: Row, fixture: Fixture | None, day: date) -> Literal["PRE", "REG", "POST"]:
    printed = first.text("season_type", "game_type") or (fixture.season_type if fixture else None)
    if printed is None:
        if day.month == _PRESEASON_MONTH:
            return "PRE"
        return "POST" if (1, 4) < (day.month, day.day) < (3, 1) else "REG"
    if printed in ("PRE", "REG"):
        return "PRE" if printed == "PRE" else "REG"
    return "POST"


def _week(day: date, season: int) -> int:
    """Weeks of the season begin on the Tuesday after Labor Day (the first Monday of September)."""
    september = date(season, 9, 1)
    opening = september + timedelta(days=(7 - september.weekday()) % 7 + 1)
    return max(1, (day - opening).days // 7 + 1)


def _footballers(
    known: Mapping[str, RosterPlayer], names: Mapping[str, str], events: Sequence[ev.ScriptedEvent]
) -> tuple[Footballer, ...]:
    """Everybody whom an event names, by id, with the club that they played for in this game."""
    footballers = []
    for player, club in sorted(_clubs_of(events).items()):
        person = known.get(player, RosterPlayer(None, "", None))
        name = person.name or names.get(player) or player
        footballers.append(Footballer(player, name, club, person.position, person.number))
    return tuple(footballers)


def _printed_names(rows: Sequence[Row], stats: GameStats | None) -> dict[str, str]:
    names = {
        credit.player: credit.name
        for stat_rows in (stats or {}).values()
        for credit in stat_rows
        if credit.player and credit.name
    }
    for row in rows:
        for player, name in row.pairs("_player_id", "_player_name"):
            names.setdefault(player_id(player) or player, name)
    return names


def _ids_of(names: Mapping[str, str]) -> dict[str, str]:
    """Player ids by printed name, for the names that only one player has."""
    return {name: player for player, name in names.items() if list(names.values()).count(name) == 1}


# The fields of a body with players, by the field with their team.
_PLAYERS = {
    "team": ("player", "passer", "receiver", "kicker", "tackler"),
    "by_team": ("by",),
    "forced_by_team": ("forced_by",),
    "blocked_by_team": ("blocked_by",),
}


def _clubs_of(events: Sequence[ev.ScriptedEvent]) -> dict[str, str]:
    clubs: dict[str, str] = {}
    for event in events:
        body = msgspec.to_builtins(event.body)
        for team, fields in _PLAYERS.items():
            for field in fields:
                value = body.get(field)
                for player in value if isinstance(value, list | tuple) else [value]:
                    if player and body.get(team):
                        clubs.setdefault(player, body[team])
    return clubs
