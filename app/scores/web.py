"""The web side of the scores."""

from __future__ import annotations

from flask import Flask

from app.boards.services import OWN_PLACE
from app.scores.deletion import views as deletion_views
from app.scores.review import views as review_views
from app.scores.standings.own_place import own_place
from app.scores.webhooks import views as webhook_views

PAGES = (
    review_views,
    webhook_views,
    deletion_views,
)


def init_app(app: Flask) -> None:
    """Register the pages."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
    app.extensions[OWN_PLACE] = own_place
