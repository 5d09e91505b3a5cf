"""Queries of the console: games, clubs, delivery of events, and events around a correction.

The events themselves are in record/accepted.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, case, func, or_, select, text, true
from sqlalchemy.orm import aliased

from app.core.db import db
from app.record.events import Body, InvalidEventError, body_to, decode
from app.record.models import Club, Game, GameState
from app.record.queries import ClubRow
from app.record.rules.football.rulebook import Rulebook, rulebook_of
from app.stream.models import DeadLetter
from app.stream.topics import GAME_EVENTS
from scorer_console.lease.leases import Lease
from scorer_console.models import KeyMap
from scorer_console.plays import event_search, log
from scorer_console.plays import play_list as play_desk
from scorer_console.plays.sentences import Sentences, sentences_of
from scorer_console.record.accepted import RowId, accepted_events
from scorer_console.record.effective_events import inverse
from scorer_console.roster.queries import roster

LISTED_GAMES = 60


@dataclass(frozen=True)
class GameRow:
    """A game on the console's list."""

    id: str
    home_id: str
    home: str
    away_id: str
    away: str
    kickoff: datetime
    week: int
    status: str
    last_event_number: int
    home_score: int | None
    away_score: int | None
    is_practice: bool


@dataclass(frozen=True)
class ConsoleGame:
    """A game as the console shows it."""

    id: str
    home: ClubRow
    away: ClubRow
    kickoff: datetime
    week: int
    competition: str
    season: int
    season_type: str
    last_event_number: int
    last_play_number: int
    is_practice: bool


@dataclass(frozen=True)
class Desk:
    """A game at the console, with what the console shows beside its events, as of one moment.

    `version` changes whenever something on the console changes. `newest` is the last row of the
    outbox. `unpublished` and `behind` count events; those behind are published and not ingested.
    `has_refusals` and `has_waiting` say whether ingestion has refused messages of the game, and
    whether entries wait in other browsers. `keys` are the scorer's own (key_map).
    """

    game: ConsoleGame
    version: str
    newest: RowId | None
    lease: Lease | None
    unpublished: int
    behind: int
    has_refusals: bool
    has_waiting: bool
    keys: Mapping[str, str]


@dataclass(frozen=True)
class Delivery:
    """The delivery of an accepted event. `refused` is the reason if ingestion refused it."""

    published: bool
    partition: int | None
    offset: int | None
    ingested: bool
    refused: str | None


NOT_SENT = Delivery(published=False, partition=None, offset=None, ingested=False, refused=None)


@dataclass(frozen=True)
class Deliveries:
    """The delivery of the events of a game.

    `rows` are by event number, from the first requested one. `waiting`, `refused` and `behind` are
    the numbers of events that are not published, refused, and published but not ingested yet.
    """

    rows: dict[int, Delivery]
    waiting: int
    refused: int
    behind: int


def is_practice(game_id: str) -> bool:
    """Whether the game is a practice game."""
    return bool(db.session.scalar(select(Game.is_practice).where(Game.id == game_id)))


def newest_events() -> int:
    """Return a number that grows with each event of any game."""
    return db.session.scalar(_EVENTS) or 0


_EVENTS = select(func.sum(Game.last_event_number))


def games(now: datetime, bound: Collection[str] = ()) -> list[GameRow]:
    """Load the games: those being played first, then the nearest in time; ties by id.

    If `bound` is not empty, only these and practice games are returned.
    """
    home, away = aliased(Club), aliased(Club)
    status = func.coalesce(
        GameState.status, case((Game.last_event_number > 0, "live"), else_="scheduled")
    )
    distance = func.abs(func.extract("epoch", Game.kickoff - now))
    rows = db.session.execute(
        select(
            Game.id,
            Game.home_id,
            home.name,
            Game.away_id,
            away.name,
            Game.kickoff,
            Game.week,
            status,
            Game.last_event_number,
            GameState.home_score,
            GameState.away_score,
            Game.is_practice,
        )
        .join(home, home.id == Game.home_id)
        .join(away, away.id == Game.away_id)
        .outerjoin(GameState, GameState.game_id == Game.id)
        .where(or_(Game.id.in_(bound), Game.is_practice) if bound else true())
        .order_by(status != "live", distance, Game.id)
        .limit(LISTED_GAMES)
    )
    return [GameRow(*tuple(row)) for row in rows]


def clubs() -> list[ClubRow]:
    """Load every club, by name, then id."""
    rows = db.session.execute(
        select(Club.id, Club.name, Club.nickname, Club.colour).order_by(Club.name, Club.id)
    )
    return [ClubRow(*row) for row in rows]


_GAME_COLUMNS = """
    g.id, g.kickoff, g.week, g.competition, g.season, g.season_type, g.last_event_number,
    g.last_play_number, g.is_practice,
    home.id AS home_id, home.name AS home_name, home.nickname AS home_nickname,
    home.colour AS home_colour, away.id AS away_id, away.name AS away_name,
    away.nickname AS away_nickname, away.colour AS away_colour
"""
_OF_GAME = """
    FROM games g JOIN clubs home ON home.id = g.home_id JOIN clubs away ON away.id = g.away_id
"""
_GAME = text(f"SELECT {_GAME_COLUMNS} {_OF_GAME} WHERE g.id = :game")


def game(game_id: str) -> ConsoleGame | None:
    """Load a game; None if there is no such game."""
    row = db.session.execute(_GAME, {"game": game_id}).one_or_none()
    return None if row is None else _game(row)


def _game(row: Row[Any]) -> ConsoleGame:
    return ConsoleGame(
        id=row.id,
        home=ClubRow(row.home_id, row.home_name, row.home_nickname, row.home_colour),
        away=ClubRow(row.away_id, row.away_name, row.away_nickname, row.away_colour),
        kickoff=row.kickoff,
        week=row.week,
        competition=row.competition,
        season=row.season,
        season_type=row.season_type,
        last_event_number=row.last_event_number,
        last_play_number=row.last_play_number,
        is_practice=row.is_practice,
    )


# PostgreSQL counts from indexes alone, so that no rows are read into the process.
_VERSION = """
    concat_ws('-', g.last_event_number, g.epoch,
        (SELECT count(*) FROM scorer_leases l WHERE l.game_id = g.id AND l.expires_at > :now),
        (SELECT count(*) FROM outbox o WHERE o.game_id = g.id AND o.published_at IS NOT NULL),
        (SELECT count(*) FROM events e WHERE e.game_id = g.id AND e.revision = 0),
        (SELECT coalesce(max(d.id), 0) FROM dead_letters d WHERE d.key = g.id AND d.is_ours),
        (SELECT md5(string_agg(concat_ws('.', w.key, extract(epoch FROM w.changed_at),
          w.dropped_by), ','
            ORDER BY w.console, w.key)) FROM waiting_entries w WHERE w.game_id = g.id))
"""
_DESK = text(f"""
    SELECT {_GAME_COLUMNS}, {_VERSION} AS version,
      newest.id AS newest_id, newest.accepted_at AS newest_at,
      lease.epoch, lease.console, lease.holder, lease.taken_at, lease.expires_at,
      (SELECT count(*) FROM outbox o WHERE o.game_id = g.id AND o.published_at IS NULL)
        AS unpublished,
      (SELECT count(*) FROM events e WHERE e.game_id = g.id AND e.revision = 0) AS ingested,
      (SELECT count(*) FROM outbox o JOIN events e ON e.game_id = o.game_id
        AND e.event_number = o.event_number
       WHERE o.game_id = g.id AND o.published_at IS NULL AND e.revision = 0)
        AS ingested_unpublished,
      EXISTS (SELECT FROM dead_letters d WHERE d.topic = :topic AND d.key = g.id AND d.is_ours)
        AS has_refusals,
      EXISTS (SELECT FROM waiting_entries w WHERE w.game_id = g.id) AS has_waiting,
      (SELECT k.keys FROM key_maps k WHERE k.member_id = :scorer) AS keys
    {_OF_GAME}
      LEFT JOIN LATERAL (SELECT * FROM scorer_leases l WHERE l.game_id = g.id
        ORDER BY l.epoch DESC LIMIT 1) lease ON true
      LEFT JOIN LATERAL (SELECT o.id, o.accepted_at FROM outbox o WHERE o.game_id = g.id
        ORDER BY o.event_number DESC LIMIT 1) newest ON true
    WHERE g.id = :game
""")  # noqa: S608 (SQL of ours)


def desk(game_id: str, now: datetime, scorer: int | None = None) -> Desk | None:
    """Load a game with what the console shows beside its events; None if there is no such game.

    `scorer` is the member whose keys are loaded too.
    """
    row = db.session.execute(
        _DESK, {"game": game_id, "now": now, "topic": GAME_EVENTS.name, "scorer": scorer}
    ).one_or_none()
    if row is None:
        return None
    published_and_ingested = row.ingested - row.ingested_unpublished
    return Desk(
        game=_game(row),
        version=row.version,
        newest=None if row.newest_id is None else (row.newest_id, row.newest_at),
        lease=None
        if row.epoch is None
        else Lease(row.id, row.epoch, row.console, row.holder, row.taken_at, row.expires_at),
        unpublished=row.unpublished,
        behind=max(0, row.last_event_number - row.unpublished - published_and_ingested),
        has_refusals=row.has_refusals,
        has_waiting=row.has_waiting,
        keys=row.keys or {},
    )


def backlog(desk: Desk) -> Deliveries:
    """Return how many events are on their way, without the delivery of single events."""
    if desk.has_refusals:
        return deliveries(desk, desk.game.last_event_number + 1)
    return Deliveries({}, desk.unpublished, 0, desk.behind)


def deliveries(desk: Desk, first: int) -> Deliveries:
    """Load the delivery of the events from number `first` on. The counts cover the whole game."""
    refusals = _refusals(desk.game.id) if desk.has_refusals else {}
    rows = db.session.execute(
        _DELIVERIES, {"game": desk.game.id, "first": first, "refused": list(refusals)}
    ).all()
    refused = refusals.keys() - {row.event_number for row in rows if row.ingested}
    return Deliveries(
        rows={
            row.event_number: Delivery(
                published=row.published,
                partition=row.partition,
                offset=row.offset,
                ingested=row.ingested,
                refused=refusals[row.event_number] if row.event_number in refused else None,
            )
            for row in rows
            if row.event_number >= first
        },
        waiting=desk.unpublished,
        refused=len(refused),
        behind=max(0, desk.behind - len(refused)),
    )


_DELIVERIES = text("""
    SELECT o.event_number, o.published_at IS NOT NULL AS published, o.partition, o."offset",
      e.event_number IS NOT NULL AS ingested
    FROM outbox o LEFT JOIN events e ON e.game_id = o.game_id
      AND e.event_number = o.event_number AND e.revision = 0
    WHERE o.game_id = :game
      AND (o.event_number >= :first OR o.event_number = ANY(CAST(:refused AS int[])))
""")


@dataclass(frozen=True)
class OneEvent:
    """An event with its revisions."""

    play_number: int
    body: Body
    is_effective: bool


def event(game_id: str, number: int) -> OneEvent | None:
    """Return the event by its last ruling, or as it was entered if it does not count."""
    fold = accepted_events(game_id).fold
    try:
        entered = fold.event(number)
    except LookupError:
        return None
    body = fold.body(number)
    return OneEvent(
        entered.play_number, entered.body if body is None else body, is_effective=body is not None
    )


def events_found(game_id: str, text: str) -> event_search.FoundEvents | None:
    """Like event_search.events_found; None if there is no such game."""
    found_game = game(game_id)
    if found_game is None:
        return None
    people = roster(game_id, found_game.home.id, found_game.away.id)
    names = {player.id: player.name for player in people}
    jerseys = {player.id: player.number for player in people if player.number is not None}
    return event_search.events_found(accepted_events(game_id).fold.in_order, text, names, jerseys)


def plays_found(game_id: str, text: str) -> tuple[list[log.LoggedPlay], bool] | None:
    """Load the plays with events that match (event_search.events_found), and if there are more.

    None if there is no such game.
    """
    found_game = game(game_id)
    matches = events_found(game_id, text)
    if found_game is None or matches is None:
        return None
    fold = accepted_events(game_id).fold
    clubs = (found_game.home.id, found_game.away.id)
    names = {player.id: player.name for player in roster(game_id, *clubs)}
    rows = log.found_rows(fold, names, [row.number for row in matches.rows])
    titles = log.titles_of(fold, [row.play for row in rows], clubs)
    return log.by_play(rows, titles), matches.more


def event_around(game_id: str, number: int) -> dict[str, Any]:
    """Like play_list.event_around, with `undo`: the bodies that take the event back, if it counts.

    The event must exist.
    """
    fold = accepted_events(game_id).fold
    undo = [body_to(body) for body in inverse(fold, [number])]
    return play_desk.event_around(fold, *_around(game_id, number)) | {"undo": undo}


def play(game_id: str, number: int) -> dict[str, Any] | None:
    """Like play_list.play; None if there is no such play."""
    if game(game_id) is None:
        return None
    try:
        return play_desk.play(accepted_events(game_id).fold, *_around(game_id, number))
    except LookupError:
        return None


def _around(game_id: str, number: int) -> tuple[Sentences, int, tuple[str, str], Rulebook]:
    found_game = game(game_id)
    assert found_game is not None  # looked up before
    names = {
        player.id: player.name for player in roster(game_id, found_game.home.id, found_game.away.id)
    }
    sentences = sentences_of(game_id, names)
    return sentences, number, (found_game.home.id, found_game.away.id), rulebook_of(found_game)


def _refusals(game_id: str) -> dict[int, str]:
    """Load from the dead letters why ingestion refused events, by event number."""
    reasons = {}
    letters = db.session.execute(
        select(DeadLetter.payload, DeadLetter.reason)
        .where(DeadLetter.topic == GAME_EVENTS.name, DeadLetter.key == game_id, DeadLetter.is_ours)
        .order_by(DeadLetter.id)
    )
    for payload, reason in letters:
        try:
            reasons[decode(payload).event_number] = reason
        except InvalidEventError:
            continue  # nothing that this console has sent
    return reasons


def key_map(member_id: int) -> dict[str, str]:
    """Load the scorer's own keys by action; empty if there are none."""
    return db.session.scalar(select(KeyMap.keys).where(KeyMap.member_id == member_id)) or {}


_LOG_VERSION = text(f"SELECT {_VERSION} FROM games g WHERE g.id = :game")  # noqa: S608 (SQL of ours)


def log_version(game_id: str, now: datetime) -> str:
    """Return a version that changes whenever something on the console changes."""
    return db.session.scalar(_LOG_VERSION, {"game": game_id, "now": now}) or "0"
