"""Job: notify owners of how corrections changed their teams while a gameweek is under way."""

from __future__ import annotations

from app.core import clock
from app.fantasy.gameweeks import live_corrections
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing. If notices are left at the end, enqueue another run."""
    if not live_corrections.notify_all(clock.now()):
        live_corrections.ask()
