"""Loads a member's front page."""

from __future__ import annotations

from app.core import clock
from app.fantasy.leagues import queries as league_queries
from app.fantasy.notices import services as notices
from app.fantasy.pages.home.page import FrontPage, LiveGame, News, front_page
from app.fantasy.scoring import my_games
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import STANDARD
from app.fantasy.sheets.my_teams import my_teams
from app.fantasy.standings import queries
from app.record import queries as record


def load_front_page(member_id: int) -> FrontPage:
    """Load the member's leagues, deadlines, live games and latest news."""
    now = clock.now()
    leagues, names = league_queries.cards(member_id), my_games.live_games(member_id)
    games = record.games_of(list(names))
    memberships = queries.leagues_of(member_id)
    rules = rules_named(memberships[0].rules) if memberships else STANDARD
    teams = my_teams(member_id, now)
    news = News(
        games=[LiveGame(game, tuple(names[game.id].values())) for game in games],
        totals=my_games.live_totals(member_id, list(names)),
        play=my_games.newest_play(names, rules),
        notice=notices.latest_of_points(member_id),
    )
    return front_page(leagues, teams, news, now)
