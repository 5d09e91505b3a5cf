"""Scheduled job: let the choices of keepers stand whose deadline has passed."""

from __future__ import annotations

from app.core import clock
from app.draft_leagues import league_clock
from app.draft_leagues.keepers import services
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing: choices stand once."""
    services.close_due(clock.now(), but=league_clock.simulated_leagues())
