"""The web side of the boards."""

from __future__ import annotations

from flask import Flask

from app.boards.pages import origin_views, views

PAGES = (views, origin_views)


def init_app(app: Flask) -> None:
    """Register the pages."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
