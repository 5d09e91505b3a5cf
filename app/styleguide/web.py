"""The web side of the style guide."""

from __future__ import annotations

from flask import Flask

from app.styleguide import views


def init_app(app: Flask) -> None:
    """Register the pages."""
    app.register_blueprint(views.blueprint)
