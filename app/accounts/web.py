"""The web side of the accounts: their pages, sign-in and rate limits."""

from __future__ import annotations

from flask import Flask
from flask_login import LoginManager

from app.accounts import (
    appearance,
    factor_views,
    friend_views,
    integrator_views,
    passkey_views,
    password_views,
    picture_views,
    sessions,
    staff_views,
    views,
)
from app.core.http.rate_limits import limiter

PAGES = (
    views,
    factor_views,  # with account_views, whose blueprint it shares
    passkey_views,
    password_views,
    picture_views,
    staff_views,
    friend_views,
    integrator_views,
)

login_manager = LoginManager()


def init_app(app: Flask) -> None:
    """Register the pages and sign people in by their session."""
    login_manager.init_app(app)
    limiter.init_app(app)
    sessions.init_app(app, login_manager)
    appearance.init_app(app)
    for page in PAGES:
        app.register_blueprint(page.blueprint)
