"""What the browser's own rules start from.

The events that the next snap depends on, for a line that is slow or dead.

A game's events are 60 KB and every answer of the console carries them: so not all, but the last
plays, the periods, the tosses, the kickoffs of the first one, and of overtime what says who has had
the ball. Called by page.py; read by static/js/console/situation.js.
"""

from __future__ import annotations

from typing import Any

from app.record import events as ev
from scorer_console.record.accepted import AcceptedEvents
from scorer_console.record.effective_events import Fold

PLAYS = 6  # the current one, tries that were played again with their touchdown, and some to correct
ENTRIES = 12
REGULATION_PERIODS = 4

Row = tuple[int, int, dict[str, Any] | None]


def standing(fold: Fold) -> list[Row]:
    """Event number, play number and body, by number.

    The body is None while nothing of the event counts.

    Corrections are left out: what they said is in the bodies.
    """
    overtime = _plays_of_overtime(fold)
    snaps = [event.play_number for event in fold.in_order if isinstance(event.body, ev.Snap)]
    latest = max((event.play_number for event in fold.entered), default=0)
    plays = {*snaps[-PLAYS:], *range(latest - PLAYS + 1, latest + 1)}
    return [
        (event.event_number, event.play_number, None if body is None else ev.body_to(body))
        for event in fold.entered
        if not isinstance(event.body, ev.Correction)
        for body in [fold.body(event.event_number)]
        if event.play_number in plays
        or any(
            _is_lasting(version, event.play_number in overtime)
            for version in (event.body, body)
            if version is not None
        )
    ]


def _plays_of_overtime(fold: Fold) -> set[int]:
    return {
        event.play_number
        for event in fold.in_order
        if isinstance(event.body, ev.Snap) and event.body.period > REGULATION_PERIODS
    }


def _is_lasting(body: ev.Body, in_overtime: bool) -> bool:
    """Whether the rules look at it however long ago it was.

    Who has had the ball in overtime decides it.
    """
    if in_overtime and isinstance(body, ev.Snap | ev.Recovery | ev.Interception | ev.Kick):
        return True
    return isinstance(body, ev.Period | ev.CoinToss) or (
        isinstance(body, ev.Snap) and body.situation == "kickoff" and body.period == 1
    )


def last_entries(accepted: AcceptedEvents) -> list[str]:
    """The keys of the newest entries, newest first.

    One whose answer is still under way is not counted twice.
    """
    return list(dict.fromkeys(reversed(accepted.entries)))[:ENTRIES]
