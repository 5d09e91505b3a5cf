"""Scheduled job: bring the play-offs of draft leagues up to date with their results."""

from __future__ import annotations

from app.core import clock
from app.draft_leagues.season import services
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing: play-offs follow from settings and results."""
    services.update_behind(clock.now())
