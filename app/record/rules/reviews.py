"""Review is not invalidity: which plays are being looked at, and what that holds (PRODUCT A9). Pure.

A play is under review from `pending` until its ruling; where that is `overturned`, until a correction in the play, made
since the review began, says what it was instead. An upheld call only ends this: no row of the record changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.record import events as ev
from app.record.rules.stat_lines import Numbered


def plays_under_review(events: Iterable[Numbered]) -> list[int]:
    """Play numbers, rising, from valid (event number, play number, body) triples; corrections among them."""
    begun: dict[int, int] = {}
    ruling: dict[int, str] = {}
    corrected: dict[int, int] = {}
    for number, play, body in sorted(events, key=lambda event: event[0]):
        if isinstance(body, ev.Challenge):
            if body.ruling == "pending" or ruling.get(play) != "pending":
                begun[play] = number
            ruling[play] = body.ruling
        elif isinstance(body, ev.Correction):
            corrected[play] = number
    return sorted(
        play
        for play, last in ruling.items()
        if last == "pending" or (last == "overturned" and corrected.get(play, 0) < begun[play])
    )
