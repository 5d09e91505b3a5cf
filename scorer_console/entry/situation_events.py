"""The events from which the browser computes the situation while the connection is slow or down.

All events of a game would be 60 KB in every response of the console. So it sends only those on
which the next snap depends: the last plays, periods, tosses, the kickoffs of the first period, and
in overtime the events that say who has had the ball. static/js/console/situation.js reads them.
"""

from __future__ import annotations

from typing import Any

from app.record import events as ev
from scorer_console.record.accepted import AcceptedEvents
from scorer_console.record.effective_events import Fold

PLAYS = 6  # the current one, repeated tries with their touchdown, and some to correct
ENTRIES = 12
REGULATION_PERIODS = 4

Row = tuple[int, int, dict[str, Any] | None]


def standing(fold: Fold) -> list[Row]:
    """Return event number, play number and body of each event, ordered by event number.

    The body is None if the event does not count. Corrections are left out, because the bodies
    already follow their rulings.
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
    """Whether the rules need the event regardless of how long ago it was.

    In overtime they need to know who has had the ball.
    """
    if in_overtime and isinstance(body, ev.Snap | ev.Recovery | ev.Interception | ev.Kick):
        return True
    return isinstance(body, ev.Period | ev.CoinToss) or (
        isinstance(body, ev.Snap) and body.situation == "kickoff" and body.period == 1
    )


def last_entries(accepted: AcceptedEvents) -> list[str]:
    """Return the keys of the newest entries, newest first.

    They tell the browser that an entry was accepted even if it has not received the answer.
    """
    return list(dict.fromkeys(reversed(accepted.entries)))[:ENTRIES]
