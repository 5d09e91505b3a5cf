"""The events that the browser's own rules start from while the line is slow or dead.

All events of a game are 60 KB, and every answer of the console carries them. So only those go along
on which the next snap depends: the last plays, periods, tosses, the kickoffs of the first period,
and in overtime the events that say who has had the ball. Called by page.py; read by
static/js/console/situation.js.
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
    """Event number, play number and body, ordered by event number.

    The body is None while nothing of the event counts. Corrections are left out, because the bodies
    have their rulings.
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
    """Whether the rules need it however long ago it was.

    In overtime they need to know who has had the ball.
    """
    if in_overtime and isinstance(body, ev.Snap | ev.Recovery | ev.Interception | ev.Kick):
        return True
    return isinstance(body, ev.Period | ev.CoinToss) or (
        isinstance(body, ev.Snap) and body.situation == "kickoff" and body.period == 1
    )


def last_entries(accepted: AcceptedEvents) -> list[str]:
    """The keys of the newest entries, newest first.

    By them the browser knows that an entry was accepted whose answer it has not got yet.
    """
    return list(dict.fromkeys(reversed(accepted.entries)))[:ENTRIES]
