"""The web side of the operators' area."""

from __future__ import annotations

from flask import Flask

from app.ops import match_desk, pages, usage, views

PAGES = (
    views,
    pages,
    match_desk,
)


def init_app(app: Flask) -> None:
    """Register the pages."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
    usage.init_app(app)
