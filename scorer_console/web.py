"""The web side of the scorer's console."""

from __future__ import annotations

from flask import Flask

from scorer_console.entry import views as entry_views
from scorer_console.games import club_views, desk_views, details_views
from scorer_console.keys import views as key_views
from scorer_console.offline import views as offline_views
from scorer_console.roster import views as roster_views
from scorer_console.spotter import views as spotter_views
from scorer_console.styleguide import views as styleguide_views

PAGES = (
    key_views,
    club_views,
    details_views,
    roster_views,
    desk_views,
    entry_views,
    spotter_views,
    offline_views,
    styleguide_views,
)


def init_app(app: Flask) -> None:
    """Register the pages."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
