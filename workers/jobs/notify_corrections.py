"""Job: notify owners of what corrections did to their teams during a deferred gameweek."""

from __future__ import annotations

from app.core import clock
from app.fantasy.gameweeks import deferred_corrections
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing. What is left after its turn is asked for again."""
    if not deferred_corrections.notify_all(clock.now()):
        deferred_corrections.ask()
