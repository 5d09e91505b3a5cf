"""The web side of the feeds."""

from __future__ import annotations

from flask import Flask

from app.feeds import freshness, queries, views

PAGES = (views,)


def init_app(app: Flask) -> None:
    """Register the pages, and what pages of other subjects say about feeds."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
    app.add_template_global(freshness.data_source)
    app.add_template_global(queries.count_failing, "failing_feeds")
