"""The events from which the browser computes the situation while the connection is slow or down.

All events of a game would be 60 KB in every response of the console. So it sends only those on
which the next snap depends: the last plays, periods, tosses, the kickoffs of the first period, and
in overtime the events that say who has had the ball. static/js/console/situation.js reads them.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from app.record import events as ev
from scorer_console.record.accepted import AcceptedEvents
from scorer_console.record.effective_events import KICKOFF_OF_GAME, OVERTIME, Fold

_LASTING = (ev.Period, ev.CoinToss, KICKOFF_OF_GAME)
PLAYS = 6  # the current one, repeated tries with their touchdown, and some to correct
ENTRIES = 12

Row = tuple[int, int, dict[str, Any] | None]


def standing(fold: Fold) -> list[Row]:
    """Return event number, play number and body of each event, ordered by event number.

    The body is None if the event does not count. Corrections are left out, because the bodies
    already follow their rulings.
    """
    overtime = {event.play_number for event in fold.of_kind(OVERTIME)}
    latest = max(fold.plays, default=0)
    plays = {*_last_snapped(fold), *range(latest - PLAYS + 1, latest + 1)}
    numbers = {number for play in plays | overtime for number in fold.plays.get(play, ())}
    numbers.update(*(fold.kinds.get(kind, ()) for kind in _LASTING))
    rows = []
    for event in map(fold.event, sorted(numbers)):
        body = fold.body(event.event_number)
        if isinstance(event.body, ev.Correction):
            continue
        if event.play_number in plays or any(
            _is_lasting(version, event.play_number in overtime)
            for version in (event.body, body)
            if version is not None
        ):
            rows.append(
                (event.event_number, event.play_number, None if body is None else ev.body_to(body))
            )
    return rows


def _last_snapped(fold: Fold) -> list[int]:
    """Return the last plays whose snap counts."""
    snapped = (
        event.play_number for event in reversed(fold.in_order) if isinstance(event.body, ev.Snap)
    )
    return list(islice(snapped, PLAYS))


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
    names: dict[str, None] = {}
    for name in reversed(accepted.entries):
        names[name] = None
        if len(names) == ENTRIES:
            break
    return list(names)
