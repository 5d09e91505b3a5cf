"""The web side of the API."""

from __future__ import annotations

from flask import Flask

from app.api import routes, shared_answers


def init_app(app: Flask) -> None:
    """Route every declared operation and the pages about them."""
    routes.init_app(app, app.extensions["csrf"])
    shared_answers.init_app(app)
