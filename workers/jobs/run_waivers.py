"""Scheduled job: process the waiver claims that are due, and the trades before and after them."""

from __future__ import annotations

from app.core import clock
from app.draft_leagues import league_clock
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing: each run has one row, written with what it decides."""
    league_clock.settle_all(clock.now(), but=league_clock.simulated_leagues())
