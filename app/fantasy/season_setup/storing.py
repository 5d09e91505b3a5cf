"""Stores clubs and games of a season under their existing names and ids, and sets deadlines.

Imports of every sport share it. matching.py finds the stored games. Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, select, tuple_

from app.core.db import db, upsert
from app.core.errors import UserError
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.market.seasons import ensure_gameweek, set_deadlines
from app.fantasy.season_setup.matching import AWAITED, StoredGame, match_games
from app.fantasy.season_setup.schedule import EASTERN, Fixture
from app.fantasy.standings.schedules import plan_season
from app.record.club_ids import NFL, club_id_among, clubs_with_games
from app.record.models import Club, Game, GameState, PublishedScore
from app.record.script import Club as ClubFacts

MOST_NAMED = 20  # games in one sentence


class ImportRefusedError(UserError):
    """The import does not fit what is stored."""


@dataclass(frozen=True)
class Rescheduled:
    """A game that the file has in another gameweek than before."""

    game_id: str
    week_before: int
    week: int


@dataclass(frozen=True)
class MovedGame:
    """A game that has another kickoff or gameweek than before, with the new ones."""

    away_id: str
    home_id: str
    kickoff: datetime
    week: int


@dataclass(frozen=True)
class StoredGames:
    """What became of the fixtures.

    Attributes:
        new: How many games are new.
        moved: Games that have another kickoff or gameweek than before, in the file's order.
        scores: How many final scores of the file are new or have changed.
        ids: The id of the game of each fixture.
        unchanged: Ids of games that the operator moved since the file was made.
        rescheduled: Games that the file has in another gameweek than before.
        left: Games still to be played that are no longer in the file; they stay. Files of other
            sports than the NFL may have single gameweeks, and only those are compared.
        weeks: The numbers of gameweeks whose games may have changed.
    """

    new: int
    moved: tuple[MovedGame, ...]
    scores: int
    ids: Mapping[str, str]
    unchanged: tuple[str, ...]
    rescheduled: tuple[Rescheduled, ...]
    left: tuple[StoredGame, ...]
    weeks: frozenset[int]


def store_games(
    fixtures: Sequence[Fixture], clubs: Mapping[str, str], competition: str
) -> StoredGames:
    """Store the games of one season under their existing ids.

    A game that leaves a gameweek for which team sheets have locked, or that was postponed, counts
    as moved from then on.
    """
    stored = _stored_games(fixtures, competition)
    elsewhere = [game.id for game in stored if game.competition != competition]
    if elsewhere:
        raise ImportRefusedError(
            f"Game {elsewhere[0]} belongs to another competition; say which one with --competition."
        )
    is_nfl = competition == NFL
    games = match_games(fixtures, clubs, stored, meet_once=is_nfl)
    kickoffs = _file_kickoffs(games.values())
    rows, unchanged, rescheduled = [], [], []
    for fixture in fixtures:
        game = games.get(fixture.id)
        kickoff = _kickoff(fixture, kickoffs[game.id]) if game else fixture.kickoff
        if game and game.planned_kickoff == kickoff and game.file_week == fixture.week:
            unchanged.append(game.id)
            continue
        if game and game.file_week != fixture.week:
            rescheduled.append(Rescheduled(game.id, game.file_week, fixture.week))
        planned = game.file_week if game and (game.planned_week or game.is_late) else None
        rows.append(
            {
                "id": game.id if game else fixture.id,
                "competition": competition,
                "season": fixture.season,
                "season_type": fixture.season_type,
                "week": fixture.week,
                "kickoff": kickoff,
                "home_id": clubs[fixture.home],
                "away_id": clubs[fixture.away],
                "planned_week": None if planned == fixture.week else planned,
                "planned_kickoff": None,
            }
        )
    moved_games = _moved_games(rows)
    upsert(Game, ["id"], rows)
    ids = {
        fixture.id: games[fixture.id].id if fixture.id in games else fixture.id
        for fixture in fixtures
    }
    scores = _store_scores(fixtures, ids)
    matched = {game.id for game in games.values()}
    covered = {fixture.week for fixture in fixtures}
    return StoredGames(
        new=sum(fixture.id not in games for fixture in fixtures),
        moved=moved_games,
        scores=scores,
        ids=ids,
        unchanged=tuple(unchanged),
        rescheduled=tuple(rescheduled),
        left=tuple(
            game
            for game in stored
            if game.id not in matched
            and game.status in AWAITED
            and (is_nfl or game.file_week in covered)
        ),
        weeks=frozenset({*covered, *(game.week for game in games.values())}),
    )


def _file_kickoffs(games: Iterable[StoredGame]) -> dict[str, datetime]:
    """The kickoffs of the last file by game, even if an operator moved the game."""
    kickoff = func.coalesce(Game.planned_kickoff, Game.kickoff)
    rows = db.session.execute(
        select(Game.id, kickoff).where(Game.id.in_([game.id for game in games]))
    )
    return dict(rows.all())


def _kickoff(fixture: Fixture, before: datetime) -> datetime:
    """The kickoff of the fixture; the one before if the file has the same day without a time."""
    is_same_day = before.astimezone(EASTERN).date() == fixture.kickoff.astimezone(EASTERN).date()
    return before if is_same_day and not fixture.has_time else fixture.kickoff


def _moved_games(rows: Sequence[Mapping[str, Any]]) -> tuple[MovedGame, ...]:
    """Those of these games that are stored with another kickoff or gameweek."""
    places = {
        game_id: place
        for game_id, *place in db.session.execute(
            select(Game.id, Game.kickoff, Game.week).where(Game.id.in_([row["id"] for row in rows]))
        )
    }
    return tuple(
        MovedGame(row["away_id"], row["home_id"], row["kickoff"], row["week"])
        for row in rows
        if row["id"] in places and places[row["id"]] != [row["kickoff"], row["week"]]
    )


def _store_scores(fixtures: Sequence[Fixture], ids: Mapping[str, str]) -> int:
    """Store the final scores in the file; one that is no longer in it is deleted.

    Returns how many are new or have changed.
    """
    stored = {
        game_id: (home, away)
        for game_id, home, away in db.session.execute(
            select(
                PublishedScore.game_id, PublishedScore.home_score, PublishedScore.away_score
            ).where(PublishedScore.game_id.in_(ids.values()))
        )
    }
    scores = {ids[fixture.id]: fixture.score for fixture in fixtures}
    rows = [
        {"game_id": game_id, "home_score": score[0], "away_score": score[1]}
        for game_id, score in scores.items()
        if score is not None and stored.get(game_id) != score
    ]
    upsert(PublishedScore, ["game_id"], rows)
    without = [game_id for game_id, score in scores.items() if score is None and game_id in stored]
    if without:
        db.session.execute(delete(PublishedScore).where(PublishedScore.game_id.in_(without)))
    return len(rows)


def moved_lines(games: Sequence[MovedGame]) -> list[str]:
    """Tell an operator where games have moved, in Eastern time as in the file."""
    if not games:
        return []
    places = []
    for game in games[:MOST_NAMED]:
        kickoff = game.kickoff.astimezone(EASTERN)
        clock = f"{kickoff.hour % 12 or 12}:{kickoff:%M %p}"
        day = f"{kickoff:%a, %b} {kickoff.day}"
        places.append(f"{game.away_id} at {game.home_id} to {day}, {clock} ET (week {game.week})")
    more = f"; and {len(games) - MOST_NAMED} more" if len(games) > MOST_NAMED else ""
    return [f"Moved: {'; '.join(places)}{more}."]


def left_lines(games: Sequence[StoredGame]) -> list[str]:
    """Tell an operator about games that are still to be played, but no longer in the file."""
    if not games:
        return []
    names = [
        f"{game.id} ({game.away_id} at {game.home_id}, week {game.week})"
        for game in games[:MOST_NAMED]
    ]
    more = f" and {len(games) - MOST_NAMED} more" if len(games) > MOST_NAMED else ""
    return [
        f"Stored, but not in this file: {', '.join(names)}{more}. They still count in their "
        "weeks. If they should not, add them to the file with a new date or a status (postponed, "
        "cancelled), and import it again."
    ]


def _stored_games(fixtures: Sequence[Fixture], competition: str) -> list[StoredGame]:
    """Games of the fixtures' seasons, and those that have one of their ids, by kickoff, then id."""
    ids = {game_id for fixture in fixtures for game_id in (fixture.id, fixture.other_id) if game_id}
    seasons = {(fixture.season, fixture.season_type) for fixture in fixtures}
    status = func.coalesce(GameState.status, "scheduled")
    rows = db.session.execute(
        select(
            Game.id,
            Game.competition,
            Game.season,
            Game.season_type,
            Game.week,
            Game.home_id,
            Game.away_id,
            Game.planned_week,
            Game.planned_kickoff,
            status,
            Gameweek.locked_at.is_not(None) | (status == "postponed"),
        )
        .outerjoin(GameState, GameState.game_id == Game.id)
        .outerjoin(
            Gameweek,
            (Gameweek.competition == Game.competition)
            & (Gameweek.season == Game.season)
            & (Gameweek.season_type == Game.season_type)
            & (Gameweek.week == Game.week),
        )
        .where(
            Game.id.in_(ids)
            | (
                (Game.competition == competition)
                & tuple_(Game.season, Game.season_type).in_(seasons)
            )
        )
        .order_by(Game.kickoff, Game.id)
    )
    return [StoredGame(*row) for row in rows]


def set_first_deadlines(season: Season, weeks: Collection[int], before: timedelta) -> None:
    """Make these gameweeks, with deadlines `before` the first kickoff of their stored games.

    Head-to-head leagues get fixtures for those that are new. A gameweek without games, and one that
    has locked, keeps its deadline.
    """
    first_kickoffs = db.session.execute(
        select(Game.week, func.min(Game.kickoff))
        .where(
            Game.competition == season.competition,
            Game.season == season.season,
            Game.season_type == season.season_type,
            Game.week.in_(weeks),
        )
        .group_by(Game.week)
        .order_by(Game.week)
    ).all()
    for week, first_kickoff in first_kickoffs:
        ensure_gameweek(season, week, first_kickoff - before)
    set_deadlines(season.id)
    plan_season(season.id)


def store_clubs(
    clubs: Iterable[ClubFacts], competition: str, season: int | None = None
) -> dict[str, str]:
    """Store new clubs, and the names of clubs that had only an id.

    Returns:
        The id of each club by its id in the file (see club_ids.py).
    """
    names = dict(db.session.execute(select(Club.id, Club.name)).all())
    playing = clubs_with_games(competition, season)
    ids: dict[str, str] = {}
    rows: dict[str, dict[str, str]] = {}
    for club in clubs:
        club_id = (
            club_id_among(club.id, season, names.keys(), playing) if competition == NFL else club.id
        )
        ids[club.id] = club_id
        is_named = club.name != club.id
        if club_id not in names or (is_named and names[club_id] == club_id):
            names[club_id] = club.name if is_named else club_id
            rows[club_id] = {
                "id": club_id,
                "name": names[club_id],
                "nickname": club.nickname,
                "colour": club.colour,
            }
    upsert(Club, ["id"], list(rows.values()))
    return ids
