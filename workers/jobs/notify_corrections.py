"""Job: notify owners of how corrections changed their teams during a deferred gameweek."""

from __future__ import annotations

from app.core import clock
from app.fantasy.gameweeks import deferred_corrections
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing. If notices are left at the end, enqueue another run."""
    if not deferred_corrections.notify_all(clock.now()):
        deferred_corrections.ask()
