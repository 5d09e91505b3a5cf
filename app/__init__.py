"""Pressbox: a fantasy football platform on the official record of the game. Wiring only.

`create_app(settings)` makes the web application; `pressbox` (cli.py) and the workers use the same one.
"""

from __future__ import annotations

from flask import Flask
from flask_login import LoginManager
from flask_migrate import Migrate
from flask_wtf import CSRFProtect
from htmx_flask import Htmx
from werkzeug.middleware.proxy_fix import ProxyFix

from app.accounts.rules import SESSION_LIFETIME
from app.core import access, blobs, redis, web
from app.core.db import db
from app.settings import Settings

csrf = CSRFProtect()
login_manager = LoginManager()


def create_app(settings: Settings | None = None) -> Flask:
    """The application on the stores that `settings` names (default: the environment, then the running stack)."""
    from app.embedded.stack import with_running_stack

    settings = with_running_stack(settings or Settings.from_env())
    app = Flask(__name__, template_folder="../templates", static_folder="../static")
    app.config.update(
        PRESSBOX=settings,
        SECRET_KEY=settings.secret(),
        SQLALCHEMY_DATABASE_URI=settings.sqlalchemy_url,
        SQLALCHEMY_ENGINE_OPTIONS={
            "hide_parameters": True,  # what people send, a password's hash among it, stays out of logs
            "pool_pre_ping": True,
            "pool_size": settings.web_threads,
            "max_overflow": 4,
            "connect_args": {"connect_timeout": 3},
        },
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.secure_cookies,
        PERMANENT_SESSION_LIFETIME=SESSION_LIFETIME,
        # An answer that was under way while somebody signed out must not bring the cookie back.
        SESSION_REFRESH_EACH_REQUEST=False,
        REMEMBER_COOKIE_SECURE=settings.secure_cookies,
        REMEMBER_COOKIE_HTTPONLY=True,
        REMEMBER_COOKIE_SAMESITE="Lax",
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session
        MAX_CONTENT_LENGTH=1024 * 1024,
        RATELIMIT_STORAGE_URI=settings.rate_limit_url,
        RATELIMIT_IN_MEMORY_FALLBACK_ENABLED=True,
        RATELIMIT_HEADERS_ENABLED=True,
        RATELIMIT_STRATEGY="moving-window",  # any 60 s: a fixed minute lets twice as many pass around its end
    )
    db.init_app(app)
    Migrate(app, db, directory="migrations")
    redis.init_app(app, settings.redis_url, settings.boards_url, read_replicas=settings.boards_read_replicas)
    blobs.init_app(
        app,
        blobs.BlobStore(
            settings.blobs,
            endpoint=settings.aws_endpoint_url,
            key_id=settings.aws_access_key_id,
            secret=settings.aws_secret_access_key,
            region=settings.aws_region,
        ),
    )
    if settings.trusted_proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=settings.trusted_proxies, x_proto=settings.trusted_proxies, x_host=0
        )
    csrf.init_app(app)
    Htmx(app)
    login_manager.init_app(app)
    web.init_app(app)
    access.init_app(app)
    _register_subjects(app)
    return app


def _register_subjects(app: Flask) -> None:
    from app.accounts import friend_views as friends
    from app.accounts import integrator_views as integrators
    from app.accounts import views as accounts
    from app.api import routes as api
    from app.boards import models as board_models  # noqa: F401  (its tables belong to the metadata)
    from app.boards import views as boards
    from app.fantasy.gameweeks import models as gameweek_models  # noqa: F401  (as above)
    from app.fantasy.pages import commissioner_views, gamer_views, league_export_views, league_views, sheet_views
    from app.fantasy.pages import history_views as league_history_views
    from app.fantasy.pages import notice_views as notices
    from app.fantasy.pages import views as fantasy
    from app.ops import usage
    from app.ops import views as ops
    from app.record import play_tables  # noqa: F401  (as above)
    from app.record.pages import views as record
    from app.scores import feed_models  # noqa: F401  (as above)
    from app.scores import models as scores  # noqa: F401  (as above)
    from app.scores import review_views as moderation
    from app.stream import models as stream  # noqa: F401  (as above)
    from scorer_console import key_views as console_keys
    from scorer_console import models as console_models  # noqa: F401  (as above)
    from scorer_console import views as console

    accounts.init_app(app, login_manager)
    usage.init_app(app)
    for views in (accounts, friends, integrators, boards, fantasy, moderation, ops, record, console_keys, console):
        app.register_blueprint(views.blueprint)
    for views in (
        league_views,
        commissioner_views,
        league_export_views,
        league_history_views,
        gamer_views,
        notices,
        sheet_views,
    ):
        app.register_blueprint(views.blueprint)
    api.init_app(app, csrf)
