"""The web side of the fantasy game."""

from __future__ import annotations

from flask import Flask

from app.accounts.friends import NOTIFY
from app.core.page_cache.pages import add_fillings
from app.core.page_cache.placeholders import BELL
from app.fantasy.notices.friendship import notify_friend
from app.fantasy.pages.calendar import views as calendar
from app.fantasy.pages.commissioner import adjustment_views, scoring_views
from app.fantasy.pages.commissioner import views as commissioner
from app.fantasy.pages.export import views as export
from app.fantasy.pages.footballers import points_views
from app.fantasy.pages.footballers import views as footballers
from app.fantasy.pages.gamers import views as gamers
from app.fantasy.pages.history import views as history
from app.fantasy.pages.home import views as home
from app.fantasy.pages.how_to_play import views as how_to_play
from app.fantasy.pages.league import board_views, league_menu, visitors
from app.fantasy.pages.league import views as league
from app.fantasy.pages.matchup import views as matchup
from app.fantasy.pages.membership import views as membership
from app.fantasy.pages.notices import choice_views
from app.fantasy.pages.notices import views as notices
from app.fantasy.pages.players import views as players
from app.fantasy.pages.recap import views as recap
from app.fantasy.pages.replay import views as replay
from app.fantasy.pages.share import matchup_views as matchup_share_views
from app.fantasy.pages.share import recap_views as recap_share_views
from app.fantasy.pages.swings import share_views
from app.fantasy.pages.swings import views as swings
from app.fantasy.pages.team_sheet import views as team_sheet
from app.fantasy.pages.what_if import views as what_if

PAGES = (
    home,
    calendar,
    commissioner,
    export,
    footballers,
    gamers,
    history,
    how_to_play,
    league,
    matchup,
    membership,
    notices,
    recap,
    players,
    replay,
    swings,
    team_sheet,
    what_if,
    adjustment_views,
    board_views,
    points_views,
    scoring_views,
    choice_views,
    matchup_share_views,
    recap_share_views,
    share_views,
    visitors,
)


def init_app(app: Flask) -> None:
    """Register the pages and what other subjects show of the fantasy game."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
    league_menu.init_app(app)
    add_fillings(app, {BELL: notices.filled_bell, "leagues": board_views.boards_among_leagues})
    app.extensions[NOTIFY] = notify_friend
    # A mail program without a session posts there.
    app.extensions["csrf"].exempt(choice_views.stop_mail)
