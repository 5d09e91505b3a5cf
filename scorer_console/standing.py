"""What the browser's own rules start from: the events that the next snap depends on, for a line that is slow or dead.

A game's events are 60 KB and every answer of the console carries them: so not all, but the last plays, the periods, and
the kickoffs of the first one. Called by page.py; read by static/js/console/situation.js.
"""

from __future__ import annotations

from typing import Any

from app.record import events as ev
from scorer_console.accepted import AcceptedEvents
from scorer_console.effective_events import Fold

PLAYS = 6  # the current one, tries that were played again with their touchdown, and some to correct
ENTRIES = 12

Row = tuple[int, int, dict[str, Any] | None]


def standing(fold: Fold) -> list[Row]:
    """Event number, play number and body, by number; the body is None while nothing of the event counts.

    Corrections are left out: what they said is in the bodies.
    """
    snaps = [one.play_number for one in fold.in_order if isinstance(one.body, ev.Snap)]
    latest = max((event.play_number for event in fold.entered), default=0)
    plays = {*snaps[-PLAYS:], *range(latest - PLAYS + 1, latest + 1)}
    return [
        (event.event_number, event.play_number, None if body is None else ev.body_to(body))
        for event in fold.entered
        if not isinstance(event.body, ev.Correction)
        for body in [fold.body(event.event_number)]
        if event.play_number in plays or _is_lasting(event.body) or (body is not None and _is_lasting(body))
    ]


def _is_lasting(body: ev.Body) -> bool:
    """Whether the rules look at it however long ago it was."""
    return isinstance(body, ev.Period) or (
        isinstance(body, ev.Snap) and body.situation == "kickoff" and body.period == 1
    )


def last_entries(accepted: AcceptedEvents) -> list[str]:
    """The keys of the newest entries, newest first: one whose answer is still under way is not counted twice."""
    return list(dict.fromkeys(reversed(accepted.entries)))[:ENTRIES]
