"""The web side of talk."""

from __future__ import annotations

from flask import Flask

from app.core.page_cache.pages import add_fillings
from app.talk import connection_views, post_views, views

PAGES = (views, post_views, connection_views)


def init_app(app: Flask) -> None:
    """Register the pages, and the number of unread posts on cached pages of leagues."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
    add_fillings(app, {views.UNREAD: views.filled_unread})
