"""The web side of the moderation."""

from __future__ import annotations

from flask import Flask

from app.moderation import (
    limit_views,
    member_views,
    own_player_views,
    player_note_views,
    post_views,
    score_views,
    views,
)

PAGES = (
    views,
    score_views,
    limit_views,
    member_views,
    own_player_views,
    player_note_views,
    post_views,
)


def init_app(app: Flask) -> None:
    """Register the pages."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
