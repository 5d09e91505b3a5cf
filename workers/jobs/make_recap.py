"""Job: make the recap of a league's finished gameweek."""

from __future__ import annotations

from app.core import clock
from app.fantasy.pages.recap import making
from workers.context import in_app
from workers.time_limit import JobTimedOut


@in_app
def run(league_id: int, gameweek_id: int) -> None:
    """Running twice changes nothing. After a failure, pages do not ask again for some minutes."""
    try:
        making.make(league_id, gameweek_id, clock.now())
    except (Exception, JobTimedOut):
        making.pause(league_id, gameweek_id)
        raise
