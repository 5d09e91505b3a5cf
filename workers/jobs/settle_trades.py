"""Scheduled job: trades whose review is over take effect, and old offers expire."""

from __future__ import annotations

from app.core import clock
from app.draft_leagues import league_clock
from app.draft_leagues.trades import settling
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing: each trade is settled under its league's lock."""
    settling.settle_due(clock.now(), but=league_clock.simulated_leagues())
