"""Reviews: which plays are under review (PRODUCT A9). A review invalidates nothing. Pure.

A play is under review from `pending` until its ruling. If the ruling is `overturned`, it stays
under review until a new ruling in the play, made since the review began, says what happened
instead, or the ruling itself says that the play was entered so. An upheld call only ends the
review: no row of the record changes. Taking back what was entered since the review began rules on
nothing. A final score ends every review.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.record import events as ev
from app.record.rules.stat_lines import Numbered


def plays_under_review(events: Iterable[Numbered]) -> list[int]:
    """Numbers of plays under review, rising, from valid events, corrections included."""
    started: dict[int, int] = {}
    ruling: dict[int, str] = {}
    corrected: dict[int, int] = {}
    is_settled: dict[int, bool] = {}
    for number, play, body in sorted(events, key=lambda event: event[0]):
        if isinstance(body, ev.Final):
            return []
        if isinstance(body, ev.Challenge):
            if body.ruling == "pending" or ruling.get(play) != "pending":
                started[play] = number
            ruling[play], is_settled[play] = body.ruling, body.is_entered
        elif _is_ruling(body, started.get(play, number)):
            corrected[play] = number
    return sorted(
        play
        for play, last in ruling.items()
        if last == "pending"
        or (
            last == "overturned" and not is_settled[play] and corrected.get(play, 0) < started[play]
        )
    )


def _is_ruling(body: ev.Body, started: int) -> bool:
    """Whether the correction says what the play was instead.

    Corrections of credit or of a scorer's slip say nothing about the call.
    """
    if isinstance(body, ev.Overturn):
        return not body.by_scorer
    return isinstance(body, ev.Nullify) and min(body.events) < started


def challenges_of(events: Iterable[Numbered], clubs: Iterable[str]) -> dict[str, dict[str, int]]:
    """How many challenges each club has `used` and `lost`, by club.

    A club's challenge of a play counts once, by its last ruling. A challenge that did not change
    the call is lost and costs a timeout (NFL 15-9-1).
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
