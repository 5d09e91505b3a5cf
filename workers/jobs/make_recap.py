"""Job: make the recap of a league's finished gameweek."""

from __future__ import annotations

from app.core import clock
from app.fantasy.pages.recap import making
from workers.context import in_app
from workers.time_limit import JobTimedOut


@in_app
def run(league_id: int, gameweek_id: int, hidden_id: int | None = None) -> None:
    """Running twice changes nothing. After a failure, pages do not ask again for some minutes.

    With `hidden_id`, of a member with a shadow ban, it is made as only they see it.
    """
    try:
        if hidden_id is None:
            making.make(league_id, gameweek_id, clock.now())
        else:
            making.make_for_hidden(league_id, gameweek_id, hidden_id)
    except (Exception, JobTimedOut):
        making.pause(league_id, gameweek_id)
        raise
