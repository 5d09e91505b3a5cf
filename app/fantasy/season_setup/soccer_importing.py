"""Stores soccer as the parser read it: footballers, fixtures, stat lines and their points, in one
transaction.

Not here: reading files (soccer.py), team sheets and tables (gameweeks/live.py, which the caller
asks to refresh).
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
from app.fantasy.market.seasons import ensure_season
from app.fantasy.scoring.models import ImportedLine, PlayerPoints
from app.fantasy.scoring.points import store_points_of
from app.fantasy.scoring.rulebook import active_rules
from app.fantasy.season_setup.joining import Unjoined, unjoined
from app.fantasy.season_setup.schedule import Fixture
from app.fantasy.season_setup.soccer import Soccer, SoccerFixture, SoccerLine
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.fantasy.season_setup.storing import (
    Refused,
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
    """What the files do not say. `before`: from a gameweek's deadline to its first kickoff."""

    competition: str
    season: int
    time_zone: str
    format: str = "soccer"
    before: timedelta = timedelta()


@dataclass(frozen=True)
class SoccerImported:
    """`games`: ids of those in which a stat line, the score or the status changed.

    `stored`: what became of the fixtures. `unjoined`: what of the season still lacks its other
    half.
    """

    name: str
    footballers: int
    fixtures: int
    lines: int
    games: tuple[str, ...]
    stored: StoredGames
    unjoined: Unjoined


def import_soccer(found: Soccer, into: SoccerSeason, now: datetime) -> SoccerImported:
    """Commits.

    The stat lines of a game in the files are all that the game has: others of it are taken away.

    A game with stat lines is over unless its fixture says that it is live. Raises Refused.
    """
    with transaction():
        season = ensure_season(
            into.competition,
            into.season,
            "REG",
            name=f"{into.competition} {into.season}",
            time_zone=into.time_zone,
            rules=RULES,
        )
        if season.is_simulated:
            raise Refused(f"Season {season.name} is a simulated one; use another --competition.")
        _store_clubs(found, into.competition)
        _store_footballers(found, season)
        stored = _store_fixtures(found.fixtures, season, into.before)
        ensure_overall_league(season, into.format)
        fixtures = {stored.ids[game_id(fixture, season)]: fixture for fixture in found.fixtures}
        cancelled = {game for game, fixture in fixtures.items() if fixture.status == "cancelled"}
        changed = _store_lines(found.lines, stored.ids, cancelled, season, now)
        changed |= _store_states(fixtures, changed, now)
        return SoccerImported(
            season.name,
            len(found.footballers),
            len(found.fixtures),
            len(found.lines),
            tuple(sorted(changed)),
            stored,
            unjoined(season),
        )


def _store_clubs(found: Soccer, competition: str) -> None:
    wanted = {club for fixture in found.fixtures for club in (fixture.home, fixture.away)}
    wanted |= {footballer.club for footballer in found.footballers if footballer.club}
    elsewhere = db.session.scalar(
        select(Club.id)
        .join(Game, Game.home_id == Club.id)
        .where(Club.id.in_(wanted), Game.competition != competition)
        .order_by(Club.id)
        .limit(1)
    )
    if elsewhere is not None:
        raise Refused(
            f"Club {elsewhere} plays in another competition; give your clubs ids of their own."
        )
    store_clubs((ClubFacts(club, club) for club in sorted(wanted)), competition)


def _store_footballers(found: Soccer, season: Season) -> None:
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
            for player in found.footballers
        ],
    )
    prices = {player.id: player.price for player in found.footballers if player.price is not None}
    players = [
        OnMarket(player.id, player.position, player.status, player.news)
        for player in found.footballers
    ]
    if players:
        put_on_market(season, players, prices)


def _store_fixtures(
    fixtures: Iterable[SoccerFixture], season: Season, before: timedelta
) -> StoredGames:
    """Games and gameweeks; a gameweek's deadline counts all its games, those of an earlier import
    too.
    """
    wanted = [
        Fixture(
            game_id(one, season),
            None,
            season.season,
            "REG",
            one.gameweek,
            one.kickoff,
            one.home,
            one.away,
        )
        for one in fixtures
    ]
    clubs = {club: club for one in wanted for club in (one.home, one.away)}
    stored = store_games(wanted, clubs, season.competition)
    set_first_deadlines(season, stored.weeks, before)
    return stored


def game_id(fixture: SoccerFixture, season: Season) -> str:
    """The source's own, else `premier-league-2026-01-HRB-SUM` (home first)."""
    made = (
        f"{season.competition}-{season.season}-{fixture.gameweek:02}-{fixture.home}-{fixture.away}"
    )
    return fixture.id or made


def _of(season: Season) -> tuple[Any, ...]:
    return (
        Game.competition == season.competition,
        Game.season == season.season,
        Game.season_type == "REG",
    )


def _store_lines(
    lines: Iterable[SoccerLine],
    ids: Mapping[str, str],
    cancelled: set[str],
    season: Season,
    now: datetime,
) -> set[str]:
    """Stat lines and their points; returns the games that changed.

    Who neither played nor was booked has no line, and nobody has one of a cancelled game. `ids`:
    under which the files' fixtures are stored.

    Footballers change clubs in mid-season: a line that is stored already keeps its club, and finds
    its game again.
    """
    games = {game.id: game for game in db.session.scalars(select(Game).where(*_of(season)))}
    market = dict(
        db.session.execute(
            select(FootballerSeason.footballer_id, Footballer.club_id)
            .join(Footballer, Footballer.id == FootballerSeason.footballer_id)
            .where(FootballerSeason.season_id == season.id)
        ).all()
    )
    earlier: dict[str, dict[str, str]] = {}  # footballer -> game -> club
    for played_game, player, club in db.session.execute(
        select(ImportedLine.game_id, ImportedLine.player_id, ImportedLine.team).where(
            ImportedLine.game_id.in_(games)
        )
    ):
        earlier.setdefault(player, {})[played_game] = club
    wanted: dict[str, dict[str, dict[str, Any]]] = {}
    for line in lines:
        if line.footballer not in market:
            raise line.where.error(
                "footballer",
                f"{line.footballer} is not on the market of {season.name}; import them",
            )
        played = earlier.get(line.footballer, {})
        game = _game_of(line, ids, games, market[line.footballer], played)
        of_game = wanted.setdefault(game.id, {})
        if line.footballer in of_game:
            raise line.where.error("footballer", f"{line.footballer} comes twice in game {game.id}")
        of_game[line.footballer] = {
            "game_id": game.id,
            "player_id": line.footballer,
            "team": _club_in(line, game, played.get(game.id) or market[line.footballer]),
            "stats": dict(line.stats),
            "imported_at": now,
        }
    wanted |= {game: {} for game in cancelled}
    changed = {
        game
        for game, rows in wanted.items()
        if _replace(game, {k: r for k, r in rows.items() if r["stats"]})
    }
    if changed:
        for rules in active_rules("soccer"):
            store_points_of(sorted(changed), rules)
    return changed


def _club_in(line: SoccerLine, game: Game, known: str | None) -> str:
    """For whom they played; `known`: the club of an earlier import of this line, else that of
    today.
    """
    club = line.where.text("club", "team") or known
    if club in (game.home_id, game.away_id) or not any(line.stats.values()):
        return club or ""
    raise line.where.error(
        "club",
        f"{line.footballer} is of {club or 'no club'}, which does not play in game {game.id}; say "
        "in the column club "
        f"for whom they played, {game.home_id} or {game.away_id}",
    )


def _game_of(
    line: SoccerLine,
    ids: Mapping[str, str],
    games: Mapping[str, Game],
    club: str | None,
    played: Mapping[str, str],
) -> Game:
    """`club`: theirs of today; `played`: their clubs by game, of lines that are stored."""
    if line.game is not None:
        stored_as = ids.get(line.game, line.game)
        if stored_as not in games:
            raise line.where.error("game", f"there is no fixture {line.game}; import it first")
        return games[stored_as]
    of_gameweek = [game for game in games.values() if game.week == line.gameweek]
    stored = [game for game in of_gameweek if game.id in played]
    own = stored or [game for game in of_gameweek if club in (game.home_id, game.away_id)]
    if len(own) != 1:
        raise line.where.error(
            "game",
            f"{line.footballer}'s club has {len(own)} games in gameweek {line.gameweek}; give the "
            "fixture's id",
        )
    return own[0]


def _replace(game: str, rows: Mapping[str, dict[str, Any]]) -> bool:
    """Makes these the game's stat lines; returns whether one of them is another than before."""
    there = {
        line.player_id: (line.team, line.stats)
        for line in db.session.scalars(select(ImportedLine).where(ImportedLine.game_id == game))
    }
    if there == {player: (row["team"], row["stats"]) for player, row in rows.items()}:
        return False
    gone = there.keys() - rows.keys()
    for table in (ImportedLine, PlayerPoints):
        db.session.execute(delete(table).where(table.game_id == game, table.player_id.in_(gone)))
    upsert(ImportedLine, ["game_id", "player_id"], list(rows.values()))
    return True


def _store_states(said: Mapping[str, SoccerFixture], played: set[str], now: datetime) -> set[str]:
    """Status and score of the games; returns those that changed.

    Without a score said, the goals of the lines count.

    `said`: the files' fixtures by the game's id.
    """
    concerned = played | {
        known for known, one in said.items() if one.status or one.home_score is not None
    }
    games = {
        game.id: game for game in db.session.scalars(select(Game).where(Game.id.in_(concerned)))
    }
    before = {
        state.game_id: state
        for state in db.session.scalars(select(GameState).where(GameState.game_id.in_(games)))
    }
    changed = set()
    for known, game in games.items():
        fixture, was = said.get(known), before.get(known)
        status = fixture.status if fixture else None
        if status is None:
            status = "live" if was is not None and was.status == "live" else "final"
        home, away = _goals(game)
        if fixture and fixture.home_score is not None and fixture.away_score is not None:
            home, away = fixture.home_score, fixture.away_score
        same = was is not None and (was.status, was.home_score, was.away_score) == (
            status,
            home,
            away,
        )
        # of other stat lines its version rises too, so that tables are refreshed
        if same and known not in played:
            continue
        changed.add(known)
        state = asdict(game_state([], game.home_id, game.away_id))
        state |= {"status": status, "home_score": home, "away_score": away}
        statement = insert(GameState).values(
            game_id=known,
            status=status,
            home_score=home,
            away_score=away,
            state=msgspec.to_builtins(state),
            version=1,
            updated_at=now,
        )
        columns = {
            n: statement.excluded[n]
            for n in ("status", "home_score", "away_score", "state", "updated_at")
        }
        db.session.execute(
            statement.on_conflict_do_update(
                index_elements=["game_id"], set_=columns | {"version": GameState.version + 1}
            )
        )
    return changed


def _goals(game: Game) -> tuple[int, int]:
    """Home and away: each club's goals, and the own goals of the other."""
    score = {game.home_id: 0, game.away_id: 0}
    other = {game.home_id: game.away_id, game.away_id: game.home_id}
    for line in db.session.scalars(select(ImportedLine).where(ImportedLine.game_id == game.id)):
        if line.team in score:
            score[line.team] += line.stats.get("goals", 0)
            score[other[line.team]] += line.stats.get("own_goals", 0)
    return score[game.home_id], score[game.away_id]
