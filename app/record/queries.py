"""Reads of the record for pages: frozen rows, ready to be shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    SQLColumnExpression,
    case,
    exists,
    func,
    or_,
    select,
    true,
    tuple_,
)
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
    PublishedScore,
    RecordedEvent,
    StatLine,
)
from app.record.unknown_numbers import unknown_names
from app.record.words import OFFICIALS

LATE_START = timedelta(hours=12)  # a game that has not begun by then is not about to
MOST_GAMES_PER_STAGE = 40

Play = tuple[str, int]  # game, number of the play


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


def has_games() -> bool:
    """Whether there is any game that is no practice game."""
    return bool(db.session.scalar(select(exists().where(~Game.is_practice))))


def published_score(row: GameRow) -> tuple[int, int] | None:
    """Final score of home and away in a schedule, for a game of which nothing is recorded yet."""
    if row.status != "scheduled":
        return None
    score = db.session.get(PublishedScore, row.id, populate_existing=True)
    return (score.home_score, score.away_score) if score else None


@dataclass(frozen=True)
class GamesByStage:
    """The games of the list: `upcoming` soonest first, the others latest kickoff first."""

    live: list[GameRow]
    upcoming: list[GameRow]
    results: list[GameRow]

    @property
    def upcoming_by_week(self) -> dict[str, list[GameRow]]:
        """By the name of their week, in the order of `upcoming`."""
        return _by_week(self.upcoming)

    @property
    def results_by_week(self) -> dict[str, list[GameRow]]:
        """By the name of their week, in the order of `results`."""
        return _by_week(self.results)


def _by_week(games: Iterable[GameRow]) -> dict[str, list[GameRow]]:
    weeks: dict[str, list[GameRow]] = {}
    for game in games:
        preseason = "Preseason, week" if game.season_type == "PRE" else "Week"
        weeks.setdefault(f"{preseason} {game.week}", []).append(game)
    return weeks


def games_by_stage(now: datetime, most: int = MOST_GAMES_PER_STAGE) -> GamesByStage:
    """Load at most `most` games of each stage. Ties are broken by id."""
    stage, *order = _stage_order(now)
    number = func.row_number().over(partition_by=stage, order_by=order).label("number")
    numbered = (
        select(Game.id, stage.label("stage"), number)
        .outerjoin(GameState, GameState.game_id == Game.id)
        .where(~Game.is_practice)
        .subquery()
    )
    rows = db.session.execute(
        _games()
        .add_columns(numbered.c.stage)
        .join(numbered, numbered.c.id == Game.id)
        .where(numbered.c.number <= most)
        .order_by(numbered.c.stage, numbered.c.number)
    )
    games: tuple[list[GameRow], ...] = ([], [], [])
    for *row, row_stage in rows:
        games[row_stage].append(_row(*row))
    return GamesByStage(*games)


def games_around(now: datetime, limit: int) -> list[GameRow]:
    """Live games first, then those to come, soonest first, then the latest played; ties by id."""
    rows = db.session.execute(_games().order_by(*_stage_order(now)).limit(limit))
    return [_row(*row) for row in rows]


def _stage_order(now: datetime) -> tuple[SQLColumnExpression[Any], ...]:
    """The stage (0 live, 1 to come, 2 anything else), then the order within it."""
    status = func.coalesce(GameState.status, "scheduled")
    is_to_come = (status == "scheduled") & (Game.kickoff > now - LATE_START)
    stage = case((status == "live", 0), (is_to_come, 1), else_=2)
    next_first = case((is_to_come, Game.kickoff))
    return stage, next_first, Game.kickoff.desc(), Game.id


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
    conditions = [
        (RecordedEvent.game_id == game_id)
        & (
            true()
            if last is None
            else (RecordedEvent.event_number <= last) & (RecordedEvent.revision <= last)
        )
        for game_id, last in games.items()
    ]
    rows: dict[str, list[EventRow]] = {}
    for game_id, row in _event_rows(or_(*conditions)):
        rows.setdefault(game_id, []).append(row)
    return rows


def events_of_plays(plays: Collection[Play]) -> dict[Play, list[EventRow]]:
    """Every revision of the events of these plays, by event number and revision."""
    rows: dict[Play, list[EventRow]] = {}
    place = tuple_(RecordedEvent.game_id, RecordedEvent.play_number)
    for game_id, row in _event_rows(place.in_(sorted(plays))):
        rows.setdefault((game_id, row.play_number), []).append(row)
    return rows


def events_of_plays_after(numbers: Mapping[str, int]) -> dict[str, list[EventRow]]:
    """Every revision of the plays that have an event after this number, of several games by id.

    By play, event number and revision; without games that have no such event.
    """
    if not numbers:
        return {}
    plays = select(RecordedEvent.game_id, RecordedEvent.play_number).where(
        or_(
            *(
                (RecordedEvent.game_id == game_id) & (RecordedEvent.event_number > number)
                for game_id, number in numbers.items()
            )
        )
    )
    rows: dict[str, list[EventRow]] = {}
    place = tuple_(RecordedEvent.game_id, RecordedEvent.play_number)
    for game_id, row in _event_rows(place.in_(plays)):
        rows.setdefault(game_id, []).append(row)
    return rows


def _event_rows(condition: ColumnElement[bool]) -> Iterator[tuple[str, EventRow]]:
    """Revisions of events with their games, by game, play, event number and revision."""
    taken = (
        select(func.min(Correction.revision))
        .where(
            Correction.game_id == RecordedEvent.game_id,
            Correction.event_number == RecordedEvent.event_number,
            Correction.revision > RecordedEvent.revision,
        )
        .scalar_subquery()
    )
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
        .where(condition)
        .order_by(
            RecordedEvent.game_id,
            RecordedEvent.play_number,
            RecordedEvent.event_number,
            RecordedEvent.revision,
        )
    )
    for game_id, number, revision, play, valid, body, taken_by, recorded_at in result:
        row = EventRow(number, revision, play, valid, body_from(body), taken_by, recorded_at)
        yield game_id, row


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
class ClubPlayer:
    """A footballer as their club lists them now.

    `number`: the jersey, None without one; `position` may be "".
    """

    name: str
    number: int | None
    position: str


def people(footballer_ids: Collection[str]) -> dict[str, ClubPlayer]:
    """The footballers by id, and unknown numbers with their words as names."""
    rows = db.session.execute(
        select(Footballer.id, Footballer.name, Footballer.number, Footballer.position).where(
            Footballer.id.in_(footballer_ids)
        )
    )
    unknown = {
        player: ClubPlayer(words, None, "")
        for player, words in unknown_names(footballer_ids).items()
    }
    return unknown | {
        player: ClubPlayer(name, number, position) for player, name, number, position in rows
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
