"""Stores soccer in one transaction: footballers, fixtures, stat lines and their points.

soccer.py reads the files. The caller refreshes tables (gameweeks/live.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, transaction, upsert
from app.fantasy.market.models import FootballerSeason, Season
from app.fantasy.market.seasons import NewSeason, ensure_season
from app.fantasy.scoring.models import ImportedLine, PlayerPoints
from app.fantasy.scoring.points import store_points_of
from app.fantasy.scoring.rulebook import active_rules
from app.fantasy.season_setup.joining import Unjoined, unjoined
from app.fantasy.season_setup.schedule import Fixture
from app.fantasy.season_setup.soccer import Soccer, SoccerFixture, SoccerLine
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.fantasy.season_setup.storing import (
    ImportRefusedError,
    StoredGames,
    set_first_deadlines,
    store_clubs,
    store_games,
)
from app.record.models import Club, Footballer, Game, GameState
from app.record.rules.state import game_state
from app.record.script import Club as ClubFacts

RULES = "soccer"


@dataclass(frozen=True)
class SoccerSeason:
    """The season of the files. `before`: from a gameweek's deadline to its first kickoff."""

    competition: str
    season: int
    time_zone: str
    format: str = "soccer"
    before: timedelta = timedelta()


@dataclass(frozen=True)
class SoccerImported:
    """What an import of soccer changed.

    Attributes:
        games: Ids of games in which a stat line, the score or the status changed.
        stored: What became of the fixtures.
        unjoined: Clubs without games, or without footballers.
    """

    name: str
    footballers: int
    fixtures: int
    lines: int
    games: tuple[str, ...]
    stored: StoredGames
    unjoined: Unjoined


def import_soccer(soccer: Soccer, into: SoccerSeason, now: datetime) -> SoccerImported:
    """Store everything that was read. Commits.

    The stat lines of a game replace all earlier ones. A game with stat lines is over unless its
    fixture says that it is live.

    Raises:
        ImportRefusedError: The files do not fit what is stored.
    """
    with transaction():
        season = ensure_season(
            NewSeason(
                into.competition,
                into.season,
                "REG",
                name=f"{into.competition} {into.season}",
                time_zone=into.time_zone,
                rules=RULES,
            )
        )
        if season.is_simulated:
            raise ImportRefusedError(
                f"Season {season.name} is simulated; use another --competition."
            )
        _store_clubs(soccer, into.competition)
        _store_footballers(soccer, season)
        stored = _store_fixtures(soccer.fixtures, season, into.before)
        ensure_overall_league(season, into.format)
        fixtures = {stored.ids[game_id(fixture, season)]: fixture for fixture in soccer.fixtures}
        cancelled = {game for game, fixture in fixtures.items() if fixture.status == "cancelled"}
        changed = _store_lines(soccer.lines, stored.ids, cancelled, season, now)
        changed |= _store_states(fixtures, changed, now)
        return SoccerImported(
            season.name,
            len(soccer.footballers),
            len(soccer.fixtures),
            len(soccer.lines),
            tuple(sorted(changed)),
            stored,
            unjoined(season),
        )


def _store_clubs(soccer: Soccer, competition: str) -> None:
    clubs = {club for fixture in soccer.fixtures for club in (fixture.home, fixture.away)}
    clubs |= {footballer.club for footballer in soccer.footballers if footballer.club}
    elsewhere = db.session.scalar(
        select(Club.id)
        .join(Game, Game.home_id == Club.id)
        .where(Club.id.in_(clubs), Game.competition != competition)
        .order_by(Club.id)
        .limit(1)
    )
    if elsewhere is not None:
        raise ImportRefusedError(
            f"Club {elsewhere} plays in another competition; give your clubs different ids."
        )
    store_clubs((ClubFacts(club, club) for club in sorted(clubs)), competition)


def _store_footballers(soccer: Soccer, season: Season) -> None:
    upsert(
        Footballer,
        ["id"],
        [
            {
                "id": player.id,
                "name": player.name,
                "club_id": player.club,
                "position": player.position,
                "number": player.number,
            }
            for player in soccer.footballers
        ],
    )
    prices = {player.id: player.price for player in soccer.footballers if player.price is not None}
    players = [
        OnMarket(player.id, player.position, player.status, player.news)
        for player in soccer.footballers
    ]
    if players:
        put_on_market(season, players, prices)


def _store_fixtures(
    fixtures: Iterable[SoccerFixture], season: Season, before: timedelta
) -> StoredGames:
    """Store games and gameweeks, with deadlines by all games, also those of earlier imports."""
    games = [
        Fixture(
            game_id(fixture, season),
            None,
            season.season,
            "REG",
            fixture.gameweek,
            fixture.kickoff,
            fixture.home,
            fixture.away,
        )
        for fixture in fixtures
    ]
    clubs = {club: club for game in games for club in (game.home, game.away)}
    stored = store_games(games, clubs, season.competition)
    set_first_deadlines(season, stored.weeks, before)
    return stored


def game_id(fixture: SoccerFixture, season: Season) -> str:
    """The source's id of a game, or one like `premier-league-2026-01-HRB-SUM` (home first)."""
    clubs = f"{fixture.home}-{fixture.away}"
    return fixture.id or f"{season.competition}-{season.season}-{fixture.gameweek:02}-{clubs}"


def _of(season: Season) -> tuple[Any, ...]:
    return (
        Game.competition == season.competition,
        Game.season == season.season,
        Game.season_type == "REG",
    )


@dataclass(frozen=True)
class _StoredSeason:
    """What a stat line is compared with.

    Attributes:
        ids: The ids under which the files' fixtures are stored.
        games: The games of the season by id.
        clubs: The present club of everybody on the market.
        earlier: The clubs of stored stat lines, by footballer and game.
    """

    name: str
    ids: Mapping[str, str]
    games: Mapping[str, Game]
    clubs: Mapping[str, str | None]
    earlier: Mapping[str, Mapping[str, str]]


def _store_lines(
    lines: Iterable[SoccerLine],
    ids: Mapping[str, str],
    cancelled: set[str],
    season: Season,
    now: datetime,
) -> set[str]:
    """Store stat lines and their points; return the games that changed.

    A footballer who neither played nor was booked has no line, and nobody has one in a cancelled
    game. `ids` are those under which the files' fixtures are stored.

    Footballers change clubs in mid-season, so a line that is stored keeps its club and its game.
    """
    stored = _load_season(season, ids)
    rows_of: dict[str, dict[str, dict[str, Any]]] = {}
    for line in lines:
        row = _line_row(line, stored, now)
        of_game = rows_of.setdefault(row["game_id"], {})
        if line.footballer in of_game:
            raise line.where.error(
                "footballer", f"{line.footballer} is listed twice in game {row['game_id']}"
            )
        of_game[line.footballer] = row
    rows_of |= {game: {} for game in cancelled}
    changed = {
        game
        for game, rows in rows_of.items()
        if _replace(game, {player: row for player, row in rows.items() if row["stats"]})
    }
    if changed:
        for rules in active_rules("soccer"):
            store_points_of(sorted(changed), rules)
    return changed


def _load_season(season: Season, ids: Mapping[str, str]) -> _StoredSeason:
    games = {game.id: game for game in db.session.scalars(select(Game).where(*_of(season)))}
    clubs = dict(
        db.session.execute(
            select(FootballerSeason.footballer_id, Footballer.club_id)
            .join(Footballer, Footballer.id == FootballerSeason.footballer_id)
            .where(FootballerSeason.season_id == season.id)
        ).all()
    )
    earlier: dict[str, dict[str, str]] = {}
    for game, player, club in db.session.execute(
        select(ImportedLine.game_id, ImportedLine.player_id, ImportedLine.team).where(
            ImportedLine.game_id.in_(games)
        )
    ):
        earlier.setdefault(player, {})[game] = club
    return _StoredSeason(season.name, ids, games, clubs, earlier)


def _line_row(line: SoccerLine, stored: _StoredSeason, now: datetime) -> dict[str, Any]:
    if line.footballer not in stored.clubs:
        raise line.where.error(
            "footballer",
            f"{line.footballer} is not on the market of {stored.name}; import this player first",
        )
    game = _game_of(line, stored)
    earlier_club = stored.earlier.get(line.footballer, {}).get(game.id)
    return {
        "game_id": game.id,
        "player_id": line.footballer,
        "team": _club_in(line, game, earlier_club or stored.clubs[line.footballer]),
        "stats": dict(line.stats),
        "imported_at": now,
    }


def _club_in(line: SoccerLine, game: Game, default: str | None) -> str:
    """The club for which the footballer played. `default`: if the line does not say it."""
    club = line.where.text("club", "team") or default
    if club in (game.home_id, game.away_id) or not any(line.stats.values()):
        return club or ""
    raise line.where.error(
        "club",
        f"{line.footballer} is of {club or 'no club'}, which does not play in game {game.id}; say "
        "in the column club "
        f"for whom they played, {game.home_id} or {game.away_id}",
    )


def _game_of(line: SoccerLine, stored: _StoredSeason) -> Game:
    """The game that the line names, else that of the footballer's club in the gameweek."""
    if line.game is not None:
        stored_as = stored.ids.get(line.game, line.game)
        if stored_as not in stored.games:
            raise line.where.error("game", f"there is no fixture {line.game}; import it first")
        return stored.games[stored_as]
    club = stored.clubs[line.footballer]
    of_gameweek = [game for game in stored.games.values() if game.week == line.gameweek]
    played = [game for game in of_gameweek if game.id in stored.earlier.get(line.footballer, {})]
    candidates = played or [game for game in of_gameweek if club in (game.home_id, game.away_id)]
    if len(candidates) != 1:
        raise line.where.error(
            "game",
            f"{line.footballer}'s club has {len(candidates)} games in week {line.gameweek}; "
            "give the fixture's id",
        )
    return candidates[0]


def _replace(game: str, rows: Mapping[str, dict[str, Any]]) -> bool:
    """Replace the game's stat lines; return whether any of them changed."""
    before = {
        line.player_id: (line.team, line.stats)
        for line in db.session.scalars(select(ImportedLine).where(ImportedLine.game_id == game))
    }
    if before == {player: (row["team"], row["stats"]) for player, row in rows.items()}:
        return False
    removed = before.keys() - rows.keys()
    for table in (ImportedLine, PlayerPoints):
        db.session.execute(delete(table).where(table.game_id == game, table.player_id.in_(removed)))
    upsert(ImportedLine, ["game_id", "player_id"], list(rows.values()))
    return True


def _store_states(
    fixtures: Mapping[str, SoccerFixture], played: set[str], now: datetime
) -> set[str]:
    """Store status and score of the games; return those that changed.

    Args:
        fixtures: The files' fixtures by the game's id. Without a score of a fixture, the goals of
            the stat lines count.
        played: Games whose stat lines changed.
        now: When they change.
    """
    game_ids = played | {
        game_id
        for game_id, fixture in fixtures.items()
        if fixture.status or fixture.home_score is not None
    }
    games = {
        game.id: game for game in db.session.scalars(select(Game).where(Game.id.in_(game_ids)))
    }
    before = {
        state.game_id: state
        for state in db.session.scalars(select(GameState).where(GameState.game_id.in_(games)))
    }
    changed = set()
    for stored_id, game in games.items():
        old = before.get(stored_id)
        new = _status_and_score(game, fixtures.get(stored_id), old)
        # New stat lines raise the version too, so that tables are refreshed.
        is_same = old is not None and (old.status, old.home_score, old.away_score) == new
        if not is_same or stored_id in played:
            changed.add(stored_id)
            _store_state(game, new, now)
    return changed


def _status_and_score(
    game: Game, fixture: SoccerFixture | None, old: GameState | None
) -> tuple[str, int, int]:
    status = fixture.status if fixture else None
    if status is None:
        status = "live" if old is not None and old.status == "live" else "final"
    if fixture and fixture.home_score is not None and fixture.away_score is not None:
        return status, fixture.home_score, fixture.away_score
    return status, *_goals(game)


def _store_state(game: Game, new: tuple[str, int, int], now: datetime) -> None:
    status, home, away = new
    state = asdict(game_state([], game.home_id, game.away_id))
    state |= {"status": status, "home_score": home, "away_score": away}
    statement = insert(GameState).values(
        game_id=game.id,
        status=status,
        home_score=home,
        away_score=away,
        state=msgspec.to_builtins(state),
        version=1,
        updated_at=now,
    )
    columns = {
        name: statement.excluded[name]
        for name in ("status", "home_score", "away_score", "state", "updated_at")
    }
    db.session.execute(
        statement.on_conflict_do_update(
            index_elements=["game_id"], set_=columns | {"version": GameState.version + 1}
        )
    )


def _goals(game: Game) -> tuple[int, int]:
    """The goals of home and away, with the own goals of the other club."""
    score = {game.home_id: 0, game.away_id: 0}
    other = {game.home_id: game.away_id, game.away_id: game.home_id}
    for line in db.session.scalars(select(ImportedLine).where(ImportedLine.game_id == game.id)):
        if line.team in score:
            score[line.team] += line.stats.get("goals", 0)
            score[other[line.team]] += line.stats.get("own_goals", 0)
    return score[game.home_id], score[game.away_id]
