"""Review is not invalidity: which plays are being looked at, and what that holds (PRODUCT A9).

Pure.

A play is under review from `pending` until its ruling; where that is `overturned`, until a new
ruling in the play, made since the review began, says what it was instead, or the ruling itself says
that the play was entered so. An upheld call only ends this: no row of the record changes. To take
back what was entered since the review began, a ruling for one, rules on nothing. A final score ends
every review: nobody can rule on one after it.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.record import events as ev
from app.record.rules.stat_lines import Numbered


def plays_under_review(events: Iterable[Numbered]) -> list[int]:
    """Play numbers, rising, from valid (event number, play number, body) triples.

    Corrections among them.
    """
    begun: dict[int, int] = {}
    ruling: dict[int, str] = {}
    corrected: dict[int, int] = {}
    settled: dict[int, bool] = {}
    for number, play, body in sorted(events, key=lambda event: event[0]):
        if isinstance(body, ev.Final):
            return []
        if isinstance(body, ev.Challenge):
            if body.ruling == "pending" or ruling.get(play) != "pending":
                begun[play] = number
            ruling[play], settled[play] = body.ruling, body.is_entered
        elif _is_ruling(body, begun.get(play, number)):
            corrected[play] = number
    return sorted(
        play
        for play, last in ruling.items()
        if last == "pending"
        or (last == "overturned" and not settled[play] and corrected.get(play, 0) < begun[play])
    )


def _is_ruling(body: ev.Body, begun: int) -> bool:
    """Whether it says what the play was instead.

    Who has the credit, or a scorer's slip, says nothing of the call.
    """
    if isinstance(body, ev.Overturn):
        return not body.by_scorer
    return isinstance(body, ev.Nullify) and min(body.events) < begun


def challenges_of(events: Iterable[Numbered], clubs: Iterable[str]) -> dict[str, dict[str, int]]:
    """How many challenges each club has `used`, and how many of them it `lost`, by club.

    A club's challenge of a play counts once, by its last ruling. One that did not change the call
    is lost and costs a timeout (NFL 15-9-1).
    """
    rulings = {
        (play, body.by): body.ruling
        for _, play, body in sorted(events, key=lambda event: event[0])
        if isinstance(body, ev.Challenge) and body.by is not None
    }
    counts = {club: {"used": 0, "lost": 0} for club in clubs}
    for (_, club), ruling in rulings.items():
        counts[club]["used"] += 1
        counts[club]["lost"] += ruling in ("upheld", "stands")
    return counts
