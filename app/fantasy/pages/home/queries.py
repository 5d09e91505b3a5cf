"""Loads a member's front page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from app.core import clock
from app.fantasy.leagues import queries as league_queries
from app.fantasy.market import gameweeks
from app.fantasy.notices import services as notices
from app.fantasy.pages.home.page import (
    Change,
    FrontPage,
    LiveGame,
    LivePlayer,
    News,
    front_page,
)
from app.fantasy.pages.league.version import league_version
from app.fantasy.scoring import my_games
from app.fantasy.scoring.engine.league_gameweek import league_gameweek
from app.fantasy.scoring.my_games import LiveTotal
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import STANDARD
from app.fantasy.scoring.swings import cache
from app.fantasy.sheets.my_teams import my_teams
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record
from app.record.queries import GameRow

MOST_MEMBERS = 200  # of a league whose newest swing the front page tells


def load_front_page(member_id: int, games_around: Sequence[GameRow]) -> FrontPage:
    """Load the member's leagues, deadlines, live games and latest news.

    `games_around`: the games of the front page, which are live first.
    """
    now = clock.now()
    leagues, names = league_queries.cards(member_id), my_games.live_games(member_id)
    games = _live_games(list(names), games_around)
    memberships = queries.leagues_of(member_id)
    rules = rules_named(memberships[0].rules) if memberships else STANDARD
    points = my_games.live_points(names, rules)
    teams = my_teams(member_id, now)
    totals = my_games.live_totals(member_id, list(names))
    change = _latest_change(totals, memberships, member_id)
    news = News(
        rules=rules.name,
        games=[_live_game(game, names[game.id], points) for game in games],
        totals=totals,
        change=change,
        play=None if change else my_games.newest_play(names, rules),
        notice=notices.latest_of_points(member_id),
    )
    return front_page(leagues, teams, news, now)


def _live_games(ids: Collection[str], games_around: Sequence[GameRow]) -> list[GameRow]:
    """These games by kickoff, then id."""
    games = [game for game in games_around if game.id in ids]
    if len(games) < len(ids):
        return record.games_of(ids)
    return sorted(games, key=lambda game: (game.kickoff, game.id))


def _live_game(
    game: GameRow, names: Mapping[str, str], points: Mapping[tuple[str, str], int]
) -> LiveGame:
    players = [
        LivePlayer(player, name, points.get((game.id, player), 0)) for player, name in names.items()
    ]
    return LiveGame(game, tuple(players))


def _latest_change(
    totals: Sequence[LiveTotal], memberships: Sequence[LeagueRow], member_id: int
) -> Change | None:
    """The newest swing of the member's team in the first of these leagues that is small enough."""
    by_id = {league.id: league for league in memberships if league.members <= MOST_MEMBERS}
    total = next((total for total in totals if total.league_id in by_id), None)
    if total is None:
        return None
    league = by_id[total.league_id]
    gameweek = gameweeks.gameweek_of(league.season_id, total.week)
    if gameweek is None:
        return None
    version = league_version(league.id, gameweek).version
    latest = cache.latest(
        league.id,
        version,
        member_id,
        lambda: league_gameweek(league, gameweek, gameweeks.games_of(gameweek)),
    )
    for swing in latest:
        mine = swing.of(member_id)
        if mine is not None and mine.points:
            return Change(total, swing, mine)
    return None
