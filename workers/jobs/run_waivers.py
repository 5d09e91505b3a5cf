"""Scheduled job: process the waiver claims that are due."""

from __future__ import annotations

from app.core import clock
from app.draft_leagues.waivers import services
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing: each run has one row, written with what it decides."""
    services.run_due(clock.now())
