"""The web side of the feeds."""

from __future__ import annotations

from flask import Flask

from app.feeds import views

PAGES = (views,)


def init_app(app: Flask) -> None:
    """Register the pages."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
