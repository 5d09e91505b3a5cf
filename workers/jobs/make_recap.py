"""Job: make the recap of a league's finished gameweek."""

from __future__ import annotations

from app.core import clock
from app.fantasy.pages.recap import making
from workers.context import in_app


@in_app
def run(league_id: int, gameweek_id: int) -> None:
    """Running twice changes nothing."""
    making.make(league_id, gameweek_id, clock.now())
