"""The web side of the feeds."""

from __future__ import annotations

from flask import Flask

from app.feeds import freshness, views

PAGES = (views,)


def init_app(app: Flask) -> None:
    """Register the pages, and the line about the data of a season for pages of other subjects."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
    app.add_template_global(freshness.data_source)
