"""The web side of draft leagues."""

from __future__ import annotations

from flask import Flask

from app.draft_leagues.pages import ranking_views, wizard_views

PAGES = (ranking_views, wizard_views)


def init_app(app: Flask) -> None:
    """Register the pages."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
