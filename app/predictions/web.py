"""The web side of the predictions."""

from __future__ import annotations

from flask import Flask

from app.predictions.pages import board_views, pool_views, views
from app.predictions.pictures import views as picture_views

PAGES = (
    picture_views,
    views,
    board_views,
    pool_views,
)


def init_app(app: Flask) -> None:
    """Register the pages."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
