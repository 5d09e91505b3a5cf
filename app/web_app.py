"""The web application: pages, forms, sessions and the API on top of what every process has
(app/worker_app.py).

Wiring only: what is on a page lives in the subjects.
"""

from __future__ import annotations

from types import ModuleType

from flask import Flask
from flask_login import LoginManager
from flask_wtf import CSRFProtect
from htmx_flask import Htmx
from werkzeug.middleware.proxy_fix import ProxyFix

from app.accounts.rules import LONGEST_SESSION
from app.core import time_tags
from app.core.http import access, request_validation, responses, static_files
from app.core.page_cache import conditional_get
from app.core.page_cache import pages as page_cache
from app.core.page_cache.placeholders import BELL
from app.core.postgres.timeouts import Use
from app.core.redis import clients
from app.offline import keeping
from app.settings import Settings
from app.worker_app import worker_app

csrf = CSRFProtect()
login_manager = LoginManager()


def web_app(given: Settings | None, use: Use) -> Flask:
    """See `app.create_app`."""
    from app.accounts.friends import NOTIFY
    from app.api import routes as api
    from app.boards.services import OWN_PLACE
    from app.fantasy.notices.friendship import notify_friend
    from app.fantasy.pages.home.views import boards_among_leagues
    from app.fantasy.pages.league import large_table as large_league
    from app.fantasy.pages.notices.choice_views import stop_mail
    from app.fantasy.pages.notices.views import filled_bell
    from app.ops import usage
    from app.scores.standings.own_place import own_place

    app = worker_app(given, use)
    settings: Settings = app.config["PRESSBOX"]
    app.config.update(
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.secure_cookies,
        PERMANENT_SESSION_LIFETIME=LONGEST_SESSION,
        # An answer that was under way while somebody signed out must not bring the cookie back.
        SESSION_REFRESH_EACH_REQUEST=False,
        REMEMBER_COOKIE_SECURE=settings.secure_cookies,
        REMEMBER_COOKIE_HTTPONLY=True,
        REMEMBER_COOKIE_SAMESITE="Lax",
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session
        MAX_CONTENT_LENGTH=1024 * 1024,
        RATELIMIT_STORAGE_URI=settings.rate_limit_url,
        RATELIMIT_STORAGE_OPTIONS=clients.TIMEOUTS,
        RATELIMIT_IN_MEMORY_FALLBACK_ENABLED=True,
        RATELIMIT_HEADERS_ENABLED=True,
        # any 60 s: a fixed minute lets twice as many pass around its end
        RATELIMIT_STRATEGY="moving-window",
    )
    if settings.trusted_proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=settings.trusted_proxies, x_proto=settings.trusted_proxies, x_host=0
        )
    csrf.init_app(app)
    page_cache.init_app(app, {BELL: filled_bell, "leagues": boards_among_leagues})
    Htmx(app)
    login_manager.init_app(app)
    responses.init_app(app, settings.asset_base_url)
    static_files.init_app(app, settings.var, responses.guards(app))
    request_validation.init_app(app)
    time_tags.init_app(app)
    keeping.init_app(app)
    access.init_app(app)
    app.extensions[OWN_PLACE] = own_place
    app.extensions[NOTIFY] = notify_friend
    pages = import_pages()
    pages[0].init_app(app, login_manager)
    usage.init_app(app)
    for page in pages:
        app.register_blueprint(page.blueprint)
    large_league.init_app(app)
    csrf.exempt(stop_mail)  # a mail program posts there, which has no session
    api.init_app(app, csrf)
    conditional_get.init_app(app)
    return app


def _integrator_pages() -> list[ModuleType]:
    from app.accounts import integrator_views
    from app.boards.pages import origin_views
    from app.moderation import own_player_views
    from app.scores.deletion import views as management_views
    from app.scores.webhooks import views as webhook_views

    return [integrator_views, webhook_views, management_views, own_player_views, origin_views]


def _fantasy_pages() -> list[ModuleType]:
    """Those of the fantasy game; import_pages has them all."""
    from app.fantasy.pages.commissioner import scoring_views
    from app.fantasy.pages.commissioner import views as commissioner_views
    from app.fantasy.pages.export import views as league_export_views
    from app.fantasy.pages.footballers import views as footballers
    from app.fantasy.pages.gamers import views as gamer_views
    from app.fantasy.pages.history import views as league_history_views
    from app.fantasy.pages.home import views as fantasy
    from app.fantasy.pages.how_to_play import views as how_to_play
    from app.fantasy.pages.matchup import views as matchups
    from app.fantasy.pages.membership import views as league_views
    from app.fantasy.pages.notices import choice_views as notice_choices
    from app.fantasy.pages.notices import views as notices
    from app.fantasy.pages.replay import views as league_replay
    from app.fantasy.pages.swings import share_views as swing_share_views
    from app.fantasy.pages.swings import views as swing_views
    from app.fantasy.pages.team_sheet import views as sheet_views
    from app.fantasy.pages.what_if import views as what_if

    return [
        fantasy,
        league_views,
        commissioner_views,
        scoring_views,
        league_export_views,
        league_history_views,
        gamer_views,
        footballers,
        how_to_play,
        matchups,
        league_replay,
        notices,
        notice_choices,
        sheet_views,
        swing_share_views,
        swing_views,
        what_if,
    ]


def import_pages() -> list[ModuleType]:
    """The modules that have a blueprint, `app.accounts.views` first."""
    from app.accounts import factor_views, friend_views, passkey_views, password_views, staff_views
    from app.accounts import views as accounts
    from app.boards.pages import views as boards
    from app.moderation import limit_views as moderate_limits
    from app.moderation import member_views as privacy
    from app.moderation import score_views as moderate_scores
    from app.moderation import views as moderate
    from app.offline import views as offline
    from app.ops import match_desk
    from app.ops import pages as operations
    from app.ops import views as ops
    from app.predictions.pages import board_views as tournament_boards
    from app.predictions.pages import pool_views
    from app.predictions.pages import views as tournaments
    from app.predictions.pictures import views as pictures
    from app.record.pages import views as record
    from app.scores.review import views as moderation
    from scorer_console.entry import views as console
    from scorer_console.games import club_views, details_views
    from scorer_console.games import desk_views as game_desk
    from scorer_console.keys import views as console_keys
    from scorer_console.offline import views as waiting_views
    from scorer_console.roster import views as roster_views
    from scorer_console.spotter import views as spotter

    return [
        accounts,
        factor_views,
        passkey_views,
        password_views,
        staff_views,
        friend_views,
        *_integrator_pages(),
        boards,
        moderation,
        moderate,
        moderate_scores,
        moderate_limits,
        privacy,
        ops,
        operations,
        match_desk,
        offline,
        pictures,
        record,
        console_keys,
        club_views,
        details_views,
        roster_views,
        game_desk,
        console,
        spotter,
        waiting_views,
        *_fantasy_pages(),
        tournaments,
        tournament_boards,
        pool_views,
    ]
