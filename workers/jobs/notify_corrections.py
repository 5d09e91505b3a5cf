"""Job: notifies owners of what corrections did to their teams while a deferred gameweek is
played."""

from __future__ import annotations

from app.core import clock
from app.fantasy.gameweeks import deferred_corrections
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing. What is left after its turn is asked for again."""
    if not deferred_corrections.notify_all(clock.now()):
        deferred_corrections.ask()
