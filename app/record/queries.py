"""Reads of the record for pages: frozen rows, ready to be shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, func, or_, select, true
from sqlalchemy.orm import aliased

from app.core.db import db
from app.record.events import Body, body_from
from app.record.models import (
    Club,
    Correction,
    Footballer,
    Game,
    GameDetails,
    GameState,
    RecordedEvent,
    StatLine,
)
from app.record.unknown_numbers import unknown_names
from app.record.words import OFFICIALS


@dataclass(frozen=True)
class ClubRow:
    """A club."""

    id: str
    name: str
    nickname: str
    colour: str


@dataclass(frozen=True)
class GameRow:
    """A game and its state; scores are None before the first event.

    `state`: state.GameState as plain values. `is_moved`: into this week from another one.
    `time_zone`: of the stadium; None: unknown.
    """

    id: str
    season: int
    season_type: str
    week: int
    kickoff: datetime
    home: ClubRow
    away: ClubRow
    status: str
    home_score: int | None
    away_score: int | None
    state: dict[str, Any]
    version: int
    is_moved: bool = False
    competition: str = "nfl"
    time_zone: str | None = None

    @property
    def has_score(self) -> bool:
        """Whether it has begun, so that its score means something.

        A cancelled game may never have begun.
        """
        if self.status == "cancelled":
            return bool(self.state.get("play_number"))
        return self.status not in ("scheduled", "postponed")


@dataclass(frozen=True)
class EventRow:
    """One revision of an event. `taken_by`: the correction that took it away, if any.

    `recorded_at`: when the server accepted the message that wrote it, in milliseconds since 1970.
    """

    number: int
    revision: int
    play_number: int
    valid: bool
    body: Body
    taken_by: int | None
    recorded_at: int


@dataclass(frozen=True)
class DetailsRow:
    """Details of a game beside its plays; "" and None for what is unknown.

    `officials`: position and name, in the order of words.OFFICIALS. `started` and `ended`: the
    stadium's clock, `13:02`.
    """

    officials: tuple[tuple[str, str], ...] = ()
    attendance: int | None = None
    stadium: str = ""
    surface: str = ""
    weather: str = ""
    started: str = ""
    ended: str = ""


@cache  # building the statement takes as long as running it
def _games() -> Select[Game, Club, Club, GameState]:
    home, away = aliased(Club), aliased(Club)
    return (
        select(Game, home, away, GameState)
        .join(home, home.id == Game.home_id)
        .join(away, away.id == Game.away_id)
        .outerjoin(GameState, GameState.game_id == Game.id)
        .where(~Game.is_practice)
    )


def _row(game: Game, home: Club, away: Club, state: GameState | None) -> GameRow:
    return GameRow(
        id=game.id,
        season=game.season,
        season_type=game.season_type,
        week=game.week,
        kickoff=game.kickoff,
        home=ClubRow(home.id, home.name, home.nickname, home.colour),
        away=ClubRow(away.id, away.name, away.nickname, away.colour),
        status=state.status if state else "scheduled",
        home_score=state.home_score if state else None,
        away_score=state.away_score if state else None,
        state=state.state if state else {},
        version=state.version if state else 0,
        is_moved=game.planned_week is not None,
        competition=game.competition,
        time_zone=game.time_zone,
    )


def game(game_id: str) -> GameRow | None:
    """The game, if there is one and it is no practice game."""
    row = db.session.execute(_games().where(Game.id == game_id)).first()
    return None if row is None else _row(*row)


def games(limit: int = 60) -> list[GameRow]:
    """Live games first, then by kickoff, latest first; ties by id."""
    live = func.coalesce(GameState.status, "scheduled") == "live"
    rows = db.session.execute(
        _games().order_by(live.desc(), Game.kickoff.desc(), Game.id).limit(limit)
    )
    return [_row(*row) for row in rows]


def games_of(ids: Collection[str]) -> list[GameRow]:
    """These games by kickoff, then id."""
    rows = db.session.execute(_games().where(Game.id.in_(ids)).order_by(Game.kickoff, Game.id))
    return [_row(*row) for row in rows]


def _in_week(
    competition: str, season: int, season_type: str, week: int
) -> tuple[ColumnElement[bool], ...]:
    return (
        Game.competition == competition,
        Game.season == season,
        Game.season_type == season_type,
        Game.week == week,
    )


def gameweek_games(competition: str, season: int, season_type: str, week: int) -> list[GameRow]:
    """The games of a gameweek by kickoff, then id."""
    rows = db.session.execute(
        _games()
        .where(*_in_week(competition, season, season_type, week))
        .order_by(Game.kickoff, Game.id)
    )
    return [_row(*row) for row in rows]


def gameweek_version(competition: str, season: int, season_type: str, week: int) -> int:
    """A number that rises with every change in any game of the gameweek."""
    versions = (
        select(func.coalesce(func.sum(GameState.version), 0))
        .join(Game, Game.id == GameState.game_id)
        .where(*_in_week(competition, season, season_type, week))
    )
    return int(db.session.scalar(versions) or 0)


def events(game_id: str) -> list[EventRow]:
    """Every revision of every event, by play, event number and revision."""
    return events_of({game_id: None}).get(game_id, [])


def events_of(games: Mapping[str, int | None]) -> dict[str, list[EventRow]]:
    """As `events`, of several games by id, without those that have none.

    Each up to an event number, or None for all. `taken_by` may name a later event than the last one
    given.
    """
    if not games:
        return {}
    taken = (
        select(func.min(Correction.revision))
        .where(
            Correction.game_id == RecordedEvent.game_id,
            Correction.event_number == RecordedEvent.event_number,
            Correction.revision > RecordedEvent.revision,
        )
        .scalar_subquery()
    )
    conditions = [
        (RecordedEvent.game_id == game_id)
        & (
            true()
            if last is None
            else (RecordedEvent.event_number <= last) & (RecordedEvent.revision <= last)
        )
        for game_id, last in games.items()
    ]
    result = db.session.execute(
        select(
            RecordedEvent.game_id,
            RecordedEvent.event_number,
            RecordedEvent.revision,
            RecordedEvent.play_number,
            RecordedEvent.valid,
            RecordedEvent.body,
            taken,
            RecordedEvent.recorded_at,
        )
        .where(or_(*conditions))
        .order_by(
            RecordedEvent.game_id,
            RecordedEvent.play_number,
            RecordedEvent.event_number,
            RecordedEvent.revision,
        )
    )
    rows: dict[str, list[EventRow]] = {}
    for game_id, number, revision, play, valid, body, taken_by, recorded_at in result:
        rows.setdefault(game_id, []).append(
            EventRow(number, revision, play, valid, body_from(body), taken_by, recorded_at)
        )
    return rows


def numbers_at(game_ids: Collection[str], ms: int) -> dict[str, int]:
    """The last event of each game accepted by then (milliseconds since 1970).

    Games without one are left out.
    """
    rows = db.session.execute(
        select(RecordedEvent.game_id, func.max(RecordedEvent.event_number))
        .where(
            RecordedEvent.game_id.in_(game_ids),
            RecordedEvent.revision == 0,
            RecordedEvent.recorded_at <= ms,
        )
        .group_by(RecordedEvent.game_id)
    )
    return dict(rows.all())


def names(footballer_ids: Collection[str]) -> dict[str, str]:
    """Names by id, whatever the current club; unknown numbers in words."""
    rows = db.session.execute(
        select(Footballer.id, Footballer.name).where(Footballer.id.in_(footballer_ids))
    )
    return unknown_names(footballer_ids) | dict(rows.all())


@dataclass(frozen=True)
class Person:
    """A footballer as their club lists them now.

    `number`: the jersey, None without one; `position` may be "".
    """

    name: str
    number: int | None
    position: str


def people(footballer_ids: Collection[str]) -> dict[str, Person]:
    """The footballers by id, and unknown numbers with their words as names."""
    rows = db.session.execute(
        select(Footballer.id, Footballer.name, Footballer.number, Footballer.position).where(
            Footballer.id.in_(footballer_ids)
        )
    )
    unknown = {
        player: Person(words, None, "") for player, words in unknown_names(footballer_ids).items()
    }
    return unknown | {
        player: Person(name, number, position) for player, name, number, position in rows
    }


def jerseys(footballer_ids: Collection[str]) -> dict[str, int | None]:
    """Current jersey numbers by id."""
    rows = db.session.execute(
        select(Footballer.id, Footballer.number).where(Footballer.id.in_(footballer_ids))
    )
    return dict(rows.all())


def stat_lines(game_id: str) -> list[tuple[str, str, dict[str, int]]]:
    """Player id, club and stats of everybody with a stat line, by player id."""
    rows = db.session.execute(
        select(StatLine.player_id, StatLine.team, StatLine.stats)
        .where(StatLine.game_id == game_id)
        .order_by(StatLine.player_id)
    )
    return [(player, team, stats) for player, team, stats in rows]


def details(game_id: str) -> DetailsRow:
    """The game's details; an empty row if nobody has entered any."""
    row = db.session.get(GameDetails, game_id)
    if row is None:
        return DetailsRow()
    return DetailsRow(
        officials=tuple(
            (words, row.officials[key])
            for key, words in OFFICIALS.items()
            if row.officials.get(key)
        ),
        attendance=row.attendance,
        stadium=row.stadium,
        surface=row.surface,
        weather=row.weather,
        started=row.started,
        ended=row.ended,
    )


def clubs() -> list[ClubRow]:
    """Every club, by id."""
    rows = db.session.execute(
        select(Club.id, Club.name, Club.nickname, Club.colour).order_by(Club.id)
    )
    return [ClubRow(*row) for row in rows]
