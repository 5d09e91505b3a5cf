"""Review is not invalidity: which plays are being looked at, and what that holds (PRODUCT A9). Pure.

A play is under review from `pending` until its last ruling; after `overturned` until a later correction in the
play says what it was instead. An upheld call only ends this: no row of the record changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.record import events as ev
from app.record.statlines import Numbered


def plays_under_review(events: Iterable[Numbered]) -> list[int]:
    """Play numbers, rising, from valid (event number, play number, body) triples; corrections among them."""
    last: dict[int, tuple[int, str]] = {}
    corrected: dict[int, int] = {}
    for number, play, body in sorted(events, key=lambda event: event[0]):
        if isinstance(body, ev.Challenge):
            last[play] = (number, body.ruling)
        elif isinstance(body, ev.Correction):
            corrected[play] = number
    return sorted(
        play
        for play, (number, ruling) in last.items()
        if ruling == "pending" or (ruling == "overturned" and corrected.get(play, 0) < number)
    )
